/**
 * npm run bench -- distance: what a request takes from six cities when the database is in Frankfurt, with read replicas and without. The
 * Worker is the one that is deployed, over a model of D1 (bench/distance/replicated.ts). Times are those of the model: the trips to the
 * database, and nothing that the machine does.
 */
import { join } from 'node:path'
import { project } from '../scripts/development.ts'
import { readArguments, refuse } from '../scripts/usage.ts'
import { bundle } from './bundle.ts'
import { cities } from './distance/cities.ts'
import { Device, type World } from './distance/device.ts'
import { drawsOf } from './distance/draws.ts'
import { fanOut } from './distance/fan-out.ts'
import { type Sample, type Scenario, scenariosOf } from './distance/scenarios.ts'
import { type Measured, table, verdict } from './distance/table.ts'
import { hotPaths } from './paths.ts'
import { scratchFolder } from './scratch.ts'
import { idle, serve } from './serve.ts'
import { tokenOf } from './token.ts'
import { plantTree, USER } from './tree.ts'

const usage = `npm run bench -- distance [--samples 100 --only PART_OF_A_TITLE --seed 1]: what a request takes from six cities, with read replicas
  and without, in a model of D1. Fails when a device reads before its own write`
const { values } = readArguments(usage, {
  samples: { type: 'string', default: '100' },
  only: { type: 'string', default: '' },
  seed: { type: 'string', default: '1' },
})
const [samples, seed] = [Number(values.samples), Number(values.seed)]
if (!Number.isInteger(samples) || samples < 1 || !Number.isInteger(seed))
  refuse('--samples takes a whole number of at least 1, --seed a whole number.', usage)

/** How many samples a device gives, before another one takes its place. */
const OF_A_DEVICE = 10
/** The part of the samples that is taken of requests that take about the same each time, and the samples without replicas. */
const [STEADY, ALONE] = [1 / 4, OF_A_DEVICE]

const scratch = scratchFolder('distance')
console.error('Bundling the service …')
const alias = [`./service.js:${project}src/index.ts`]
const service = await bundle('bench/distance-worker.ts', join(scratch, 'service'), alias)
const runtime = await serve({ service, ...idle }, join(scratch, 'state'), 4, undefined, { REPLICA_LAG: '10' })
try {
  await run()
} finally {
  await runtime.stop()
}

async function run(): Promise<void> {
  console.error('Planting 10,000 items in the primary and three replicas …')
  const [, ...replicas] = runtime.databases
  const tree = await plantTree(fanOut(runtime.database, replicas))
  const world: World = {
    address: await runtime.addressOf('service'),
    token: await tokenOf(USER),
    seed,
  }
  const scenarios = scenariosOf(hotPaths(tree)).filter(({ title }) => title.includes(values.only))
  if (scenarios.length === 0) refuse(`No request has "${values.only}" in its title.`, usage)

  const measured: Measured[] = []
  for (const scenario of scenarios) {
    for (const city of cities) {
      const alone = await take(ALONE, scenario, () => new Device(world, city, true))
      const isSteady = scenario.kind === 'read' || scenario.kind === 'write'
      const count = Math.ceil(samples * (isSteady ? STEADY : 1))
      const near = await take(count, scenario, () => new Device(world, city, false))
      measured.push({ scenario, city, alone, near })
    }
    console.error(`Measured: ${scenario.title}`)
  }
  const { lines, stale } = verdict(measured)
  console.log(`${table(measured)}\n\n${lines.join('\n')}`)
  if (stale > 0) process.exitCode = 1
}

/** Takes samples of a request, with new devices after every few. */
async function take(count: number, scenario: Scenario, open: () => Device): Promise<Sample[]> {
  const draw = drawsOf(seed)
  const taken: Sample[] = []
  while (taken.length < count) {
    const sample = await scenario.begin(open, draw)
    for (let i = 0; i < OF_A_DEVICE && taken.length < count; i++) taken.push(await sample())
  }
  return taken
}
