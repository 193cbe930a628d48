import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { project } from './citations.ts'
import { comparable, examplesOf, outputs, scriptOf } from './guides.ts'
import { Server } from './server.ts'

let server: Server

beforeAll(async () => {
  server = await Server.start()
})
afterAll(() => server.stop())

const helpers = examplesOf('README.md')

/** What bash prints for a script, errors included, in the project's folder and with the server's address. */
async function printedBy(script: string): Promise<string> {
  const shell = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: project,
    env: { ...process.env, BASE: server.url() },
  })
  return text(shell.stdout)
}

/** One guide sends 110 MB, several start a process for each token; all of it waits when other tests use the machine. */
const TIMEOUT_MS = 120_000

const guides = readdirSync(`${project}docs`)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .filter((name) => examplesOf(name).length > 0)

// Each guide leaves nothing behind that the next one would see.
it.each(guides)(
  'the examples of docs/%s print what stands there',
  async (page) => {
    const examples = examplesOf(page)
    const printed = outputs(await printedBy(scriptOf([...helpers, ...examples]))).slice(helpers.length)
    expect(printed.map(comparable)).toEqual(examples.map((example) => comparable(example.printed)))
  },
  TIMEOUT_MS,
)
