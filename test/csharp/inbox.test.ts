import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken, project } from '../../scripts/development.ts'
import type { Game } from '../e2e/proofs/inbox/game.ts'
import { survive } from '../e2e/proofs/inbox/trial.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { InboxProcess } from './inbox-process.ts'
import { compile, coreSources, outputFolder, requireMono, runProgram, sources, unitySources } from './mono.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const platforms = amount ? ['dotnet', 'unity', 'browser'] : ['dotnet', 'browser']
const cuts = amount * 4 || 8
/** Random sequences of what may happen to a replica. */
const sequences = amount * 2_000 || 2_000
/** So many inboxes share the cuts: one user may make only so many requests a minute. */
const users = Math.min(4, Math.ceil(cuts / 15))

const tests = await sources('test/csharp/inbox')
const texts = await Promise.all(tests.map((path) => readFile(join(project, path), 'utf8')))
const promises = texts.flatMap((text) =>
  [...text.matchAll(/^ {8}\{ "(.+)", \w+ \},$/gm)].map(([, name]) => name),
)

const server = await sharedServer('proofs')
let output = ''
let program = ''

beforeAll(async () => {
  await requireMono()
  output = await outputFolder()
  program = join(output, 'program.exe')
  await compile(program, [...(await unitySources()), ...(await sources('test/csharp/programs'))])
}, 300_000)

describe('an inbox in C#:', () => {
  let printed = ''
  beforeAll(async () => {
    const program = join(output, 'inbox.exe')
    // With the client in one program, tests reach its replica.
    await compile(program, [...(await coreSources()), 'test/csharp/saves/Expecting.cs', ...tests])
    printed = (await runProgram(program, [String(seed), String(sequences)])).printed
  })

  it('has promises', () => expect(promises.length).toBeGreaterThan(40))

  it.each(promises)('%s', (promise) => {
    expect(printed.split('\n'), printed).toContain(`ok ${promise}`)
  })
})

it.each(platforms)(
  `the C# inbox on the platform %s misses nothing and tells nothing twice in ${cuts} cuts, and shows the list and the badge of the service`,
  async (platform) => {
    const token = await developmentToken('social', { scope: 'notifications:publish announcements:publish' })
    const social = createClient<Game>({ baseUrl: server.url(), token })
    const trials = Array.from({ length: users }, (_, index) =>
      survive({
        user: `ada-${platform}-${seed}-${index}`,
        origin: server.url(),
        social,
        cuts: Math.ceil(cuts / users),
        pace_ms: users * 12, // a service may publish 100 a second
        seed: seed + index * 7_919,
        isActive: index % 2 === 1,
        isAnnounced: index === 0,
        overflow: amount && index === 0 ? 50 : 0,
        open: (options) => InboxProcess.open(program, platform, options),
      }),
    )
    const figures = await Promise.all(trials)
    console.log(figures.join('\n'))
    expect(figures).toHaveLength(users)
  },
)
