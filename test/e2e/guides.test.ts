import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'
import { developmentToken } from '../../scripts/development.ts'
import { project } from './citations.ts'
import { comparable, examplesOf, outputs, programOf, scriptOf } from './guides.ts'
import { PART_BYTES, type SharedServer, sharedServer } from './shared-servers.ts'

let server: SharedServer
/** One that takes content in parts from 5 MiB on. */
let small: SharedServer

beforeAll(async () => {
  ;[server, small] = await Promise.all([sharedServer('usual'), sharedServer('small_parts')])
})

const helpers = examplesOf('commands.md', 'sh')

/** What a program prints, errors included, in the project's folder and with a server's address. */
async function printedBy(
  command: string,
  args: string[],
  program: string,
  tokens = {},
  BASE = server.url(),
): Promise<string> {
  const child = spawn('bash', ['-c', 'exec 2>&1 "$@"', 'bash', command, ...args], {
    cwd: project,
    env: { ...process.env, ...tokens, BASE, FORCE_COLOR: '0' },
  })
  child.stdin.end(program)
  return text(child.stdout)
}

/** The tokens that the examples use. */
async function tokens() {
  const scoped = (user: string, scope: string) => developmentToken(user, { scope })
  const [ADA, BOB] = await Promise.all(['ada', 'bob'].map((user) => developmentToken(user)))
  const SOCIAL = await scoped('social', 'notifications:publish')
  const STUDIO = await scoped('studio', 'notifications:publish announcements:publish')
  const MODERATOR = await scoped('moderator', 'content:moderate')
  const SECOND = await scoped('second', 'content:moderate')
  const SUPPORT = await scoped('support', 'players:write audit:read')
  const SERVER = await scoped('progress', 'saves:write')
  const RECALLER = await scoped('recaller', 'saves:recall players:read')
  return { ADA, BOB, SOCIAL, STUDIO, MODERATOR, SECOND, SUPPORT, SERVER, RECALLER, TOKEN: ADA }
}

/** Empties the accounts of the examples. */
async function eraseUsers(origin = server.url()): Promise<void> {
  const headers = { Authorization: `Bearer ${await developmentToken('privacy', { scope: 'users:erase' })}` }
  for (const user of ['ada', 'bob']) {
    const answer = await fetch(`${origin}/v1/users/${user}`, { method: 'DELETE', headers })
    expect(answer.status).toBe(202)
  }
}

/** One guide sends 110 MB, several start a process for each token; all of it waits when other tests use the machine. */
const TIMEOUT_MS = 120_000

/** All but the helpers of the others. */
const guides = readdirSync(`${project}docs`).filter((name) => name.endsWith('.md') && name !== 'commands.md')
const withExamples = (language: 'sh' | 'ts') => guides.filter((name) => examplesOf(name, language).length > 0)

async function requirePrinted(page: string): Promise<void> {
  const examples = examplesOf(page, 'sh')
  const script = scriptOf([...helpers, ...examples])
  const printed = outputs(await printedBy('bash', ['-c', script], '', await tokens())).slice(helpers.length)
  expect(printed.map(comparable)).toEqual(examples.map((example) => comparable(example.printed)))
}

const programs = withExamples('ts')
/** Whether no program of the guide does what its shell does; also the first one that a reader tries. */
const isAlone = (page: string) => !programs.includes(page) || page === 'first-session.md'
const title = 'the examples of docs/%s print what stands there'

// Each guide leaves nothing behind that the next one would see.
it.each(withExamples('sh').filter(isAlone))(title, { timeout: TIMEOUT_MS }, requirePrinted)

// The program of the same guide sends the same requests. A shell starts a process for each, and for each member that it reads.
it.each(withExamples('sh').filter((page) => !isAlone(page)))(
  title,
  { timeout: TIMEOUT_MS, tags: 'release' },
  requirePrinted,
)

/** Runs the program of a guide: all of it, or as `brief` writes it, against the server `at`. */
async function requireProgramPrints(
  page: string,
  { brief = (program: string) => program, at = server } = {},
): Promise<void> {
  const examples = examplesOf(page, 'ts')
  await eraseUsers(at.url())
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-']
  const program = brief(programOf(examples))
  const printed = outputs(await printedBy('node', args, program, await tokens(), at.url()))
  expect(printed.map(comparable)).toEqual(examples.map((example) => comparable(example.printed)))
}

/** The guide whose content is so large that it goes in parts. */
const LARGE = 'uploads.md'

it.each(programs.filter((page) => page !== LARGE))(
  'the program of docs/%s prints what stands there',
  { timeout: TIMEOUT_MS },
  (page) => requireProgramPrints(page),
)

it(
  `the program of docs/${LARGE} prints what stands there, also with a tenth of its content in smaller parts`,
  {
    timeout: TIMEOUT_MS,
  },
  () =>
    requireProgramPrints(LARGE, {
      brief: (program) => {
        const less = program
          .replace('110_000_000', String(2 * PART_BYTES + 3))
          .replace('50e6', String(PART_BYTES))
        expect(less, 'the content of the guide').not.toBe(program)
        return less
      },
      at: small,
    }),
)

it(`the program of docs/${LARGE} prints what stands there`, { timeout: TIMEOUT_MS, tags: 'release' }, () =>
  requireProgramPrints(LARGE),
)

it('every program of the guides compiles', async () => {
  const folder = `${project}.wrangler/guides` // inside the project, where `#client` is known
  await mkdir(folder, { recursive: true })
  const config = { extends: `${project}scripts/tsconfig.json`, files: [], include: ['*.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  for (const page of programs) await writeFile(join(folder, `${page}.ts`), programOf(examplesOf(page, 'ts')))
  const said = await printedBy('tsc', ['-p', folder, '--checkers', '1'], '')
  await rm(folder, { recursive: true })
  expect(said.replaceAll(/^npm warn.*$/gm, '').trim()).toBe('')
})

it('README.md begins with the program of the first session', () => {
  const [shown] = examplesOf('../README.md', 'ts')
  const [first] = examplesOf('first-session.md', 'ts')
  expect(first?.script.startsWith(shown?.script ?? 'nothing')).toBe(true)
})
