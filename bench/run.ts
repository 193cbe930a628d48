/**
 * npm run bench [-- NAME] [OPTIONS]: the hot paths beside bare handlers, or another bench by its name. Each lists its options with
 * --help or after a wrong one.
 */
import { refuse } from '../scripts/usage.ts'

const benches = {
  paths: ['each hot path beside a bare handler', () => import('./bench.ts')],
  growth: ['what requests read, write and take with 10³ to 10⁶ rows', () => import('./growth.ts')],
  waits: [
    'how long others wait beside costly work of one account, and beside the job',
    () => import('./waits.ts'),
  ],
  distance: [
    'what requests take from six cities, with read replicas and without, in a model of D1',
    () => import('./distance.ts'),
  ],
  console: ['how the console opens and scrolls 10,000 items', () => import('./console.ts')],
} as const satisfies Record<string, readonly [what: string, run: () => Promise<unknown>]>

const [given = ''] = process.argv.slice(2)
const name = given === '' || given.startsWith('-') ? 'paths' : given
const bench = Object.entries(benches).find(([known]) => known === name)?.[1]
if (!bench) {
  const list = Object.entries(benches).map(
    ([known, [what]]) => `  npm run bench -- ${known.padEnd(8)} ${what}`,
  )
  refuse(`There is no bench "${given}".`, list.join('\n'))
}
if (name === given) process.argv.splice(2, 1) // the bench reads its own options
await bench[1]()
