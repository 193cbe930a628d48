import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { surviveAll } from '../e2e/proofs/inbox/trials.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { InboxProcess } from './inbox-process.ts'
import {
  compile,
  compileForBrowser,
  outputFolder,
  platforms,
  promisesIn,
  requireMono,
  runProgram,
  scenarioSources,
  testSources,
} from './mono.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const cuts = amount * 4 || 8
const users = Math.min(4, Math.ceil(cuts / 15))
/** Random sequences of what may happen to a replica. */
const sequences = amount * 200 || 1_000

const promises = await promisesIn('test/csharp/inbox')
const server = await sharedServer('proofs')
let output = ''

const programOf = (platform: string) => join(output, platform === 'browser' ? 'browser.exe' : 'program.exe')

beforeAll(async () => {
  await requireMono()
  output = await outputFolder()
  await compile(programOf('dotnet'), await scenarioSources())
  await compileForBrowser(programOf('browser'))
}, 300_000)

describe('an inbox in C#:', () => {
  let printed = ''
  beforeAll(async () => {
    const program = join(output, 'inbox.exe')
    await compile(program, await testSources('test/csharp/inbox'))
    printed = (await runProgram(program, [String(seed), String(sequences)])).printed
  }, 600_000)

  it('has promises', () => expect(promises.length).toBeGreaterThan(40))

  it.each(promises)('%s', (promise) => {
    expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
  })
})

it.each(platforms)(
  `the C# inbox on the platform %s misses nothing and tells nothing twice in ${cuts} cuts, and shows the list and the badge of the service`,
  async (platform) => {
    const figures = await surviveAll({
      name: platform,
      origin: server.url(),
      cuts,
      users,
      seed,
      isLong: amount > 0,
      open: (options) => InboxProcess.open(programOf(platform), platform, options),
    })
    console.log(figures.join('\n'))
    expect(figures).toHaveLength(users)
  },
)
