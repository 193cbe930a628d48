import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { developmentToken, project } from '../../scripts/development.ts'
import { comparable } from '../e2e/guides.ts'
import { sharedServer } from '../e2e/shared-servers.ts'
import { built, outputFolder } from './build.ts'
import {
  DONE,
  FIRST_SESSION,
  type Guide,
  guides,
  mainOf,
  printedBy,
  sessionOf,
  sourceOf,
  unityGuide,
} from './guides.ts'
import { compile, PACKAGES, runProgram, sources } from './mono.ts'

/** A program that takes longer hangs: what it has printed says where. */
const LONGEST_MS = 240_000

const folder = await outputFolder()
const server = await sharedServer('guides')
const tokens = {
  ADA: await developmentToken('ada'),
  BOB: await developmentToken('bob'),
  PRIVACY: await developmentToken('privacy', { scope: 'users:erase' }),
  MODERATOR: await developmentToken('moderator', { scope: 'content:moderate' }),
  SERVER: await developmentToken('progress', { scope: 'saves:write' }),
  SUPPORT: await developmentToken('support', { scope: 'players:write' }),
  SOCIAL: await developmentToken('social', { scope: 'notifications:publish' }),
}
const variables = Object.entries({ ...tokens, BASE: server.url() }).map(([name, value]) => `${name}=${value}`)

/**
 * Compiles sources with others, and runs them until they have printed DONE. Returns what they print before it. Mono now and then
 * aborts or hangs when it ends with connections open, so it is killed.
 */
async function printedOf(
  name: string,
  texts: Record<string, string>,
  others: string[],
  ...options: string[]
) {
  const files = Object.entries(texts).map(([file, source]) => ({ file: join(folder, `${file}.cs`), source }))
  await Promise.all(files.map(({ file, source }) => writeFile(file, source)))
  const program = join(folder, `${name}.exe`)
  await compile(program, [...others, ...files.map(({ file }) => file)], ...options)
  const after = setTimeout(LONGEST_MS, undefined, { ref: false })
  const { printed } = await runProgram(program, variables, { when: DONE, after })
  expect(printed).toContain(DONE)
  return printed.split(DONE)[0] ?? ''
}

/** Runs the programs of guides in one process, and compares what each prints. */
function requirePrinted(name: string, some: readonly Guide[]): void {
  let printed: string[][] = []

  beforeAll(async () => {
    const texts = Object.fromEntries(some.map((guide) => [guide.page, sourceOf(guide)]))
    const options = [`-r:${built('core.dll')}`, '-main:Guides', '-nowarn:219,414']
    const output = await printedOf(name, { ...texts, Main: mainOf(some) }, [], ...options)
    printed = printedBy(output)
  }, 300_000)

  it.each(some.map(({ page, examples }, index) => ({ page, examples, index })))(
    'of docs/$page prints what stands there',
    ({ examples, index }) => {
      const expected = examples.map((example) => comparable(example.printed))
      expect(printed[index]?.map(comparable)).toEqual([...expected, ''])
    },
  )
}

/** A guide that sends 110 MB, in C# more slowly than in TypeScript. */
const LARGE = 'uploads.md'

describe('the C# of the guides', () =>
  requirePrinted(
    'guides',
    guides().filter(({ page }) => page !== LARGE),
  ))

// test/csharp/requests/ResumeTests.cs has what happens in it, without a network.
describe('the C# of a large guide', { tags: 'release' }, () =>
  requirePrinted(
    'large',
    guides().filter(({ page }) => page === LARGE),
  ),
)

it('the C# of docs/unity.md prints what stands there, in a player without an engine', async () => {
  const { component, examples, printed } = unityGuide()
  const others = await sources('test/csharp/guides')
  const options = [`-r:${built('package.dll')}`, '-nowarn:219,414']
  const output = await printedOf('unity', { FirstSave: component, Examples: examples }, others, ...options)
  expect(output).toBe(printed)
}, 300_000)

describe(FIRST_SESSION, () => {
  it('goes from an empty folder to an upload in C#, as it stands there, also after other guides', async () => {
    const headers = { Authorization: `Bearer ${await developmentToken('privacy', { scope: 'users:erase' })}` }
    await fetch(`${server.url()}/v1/users/ada`, { method: 'DELETE', headers })
    const GAME = await mkdtemp(join(tmpdir(), 'csharp-game-'))
    const { script, printed } = sessionOf()
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
      cwd: project,
      env: { ...process.env, BASE: server.url(), GAME },
    })
    expect(stdout).toBe(printed)
  }, 120_000)

  it('installs the packages that the tests need, and no other', async () => {
    const page = await readFile(join(project, FIRST_SESSION), 'utf8')
    const [, named = ''] = /^apt-get install --no-install-recommends (.*)$/m.exec(page) ?? []
    expect(named.split(' ')).toEqual(Object.keys(PACKAGES))
  })

  it('names in its project file the sources that a copy of this project has', async () => {
    const page = await readFile(join(project, FIRST_SESSION), 'utf8')
    const [, storage = ''] = /<Storage>\.\.\/edge-game-storage\/(.*)<\/Storage>/.exec(page) ?? []
    const read = (name: string) => readFile(join(project, storage, name), 'utf8')
    expect(await read('GameStorage.cs')).toContain('namespace EdgeGameStorage')
    expect(await read('Unity/UnityPlatform.cs')).toContain('using UnityEngine')
  })
})
