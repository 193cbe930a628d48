import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { reference } from '../../scripts/pages/reference/page.ts'
import { project, textOf } from './citations.ts'
import { examplesIn } from './reference-examples.ts'

const page = reference()

const Paths = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
})

/** The ids of the operations of a description. */
function operationsOf(file: string): string[] {
  const { paths } = Paths.parse(JSON.parse(textOf(`docs/${file}`)))
  return Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
}

/** What the examples take from around them. */
const around = `import { type Client, type Inbox } from '${project}client/src/index.ts'
import { type Studio } from '${project}client/src/studio.ts'
declare const client: Client
declare const studio: Studio
declare const inbox: Inbox
declare const content: Blob
declare const picture: Uint8Array<ArrayBuffer>
declare const image: { src: string }
declare const keep: (upload_id: string) => void
`

/** An example as a function. A name that two of its statements declare is that of the later one. */
function functionOf([id, text]: [string, string]): string {
  const bytes = id === 'writeSave' ? 'bytes: Uint8Array' : ''
  const [first = '', ...others] = text.split('\n\n')
  return `export async function ${id}(${bytes}) {\n{\n${[first, ...others].join('\n}\n{\n')}\n}\n}\n`
}

it('has an anchor for each operation and each error code, and each only once', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(new Set(ids).size)
  const codes = [...textOf('docs/errors.md').matchAll(/^### (\w+)$/gm)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(40)
  const expected = [...operationsOf('openapi.json'), ...operationsOf('openapi.operators.json'), ...codes]
  expect(expected.filter((id) => !ids.includes(id))).toEqual([])
})

it('has an example with the client for each operation that has a method, and all of them compile', {
  timeout: 120_000,
}, async () => {
  const examples = examplesIn(page, 'ts')
  expect([...examples.keys()]).toEqual(expect.arrayContaining(operationsOf('openapi.json')))
  const folder = await mkdtemp(join(tmpdir(), 'reference-'))
  await writeFile(join(folder, 'examples.ts'), around + [...examples].map(functionOf).join('\n'))
  const compilerOptions = {
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['examples.ts'] }))
  const compiler = join(project, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
  await rm(folder, { recursive: true })
})

it('has a command for each request that a shell can read, with a body of valid JSON', () => {
  const examples = examplesIn(page, 'sh')
  const requests = [...operationsOf('openapi.json'), ...operationsOf('openapi.operators.json')]
  expect([...examples.keys()]).toEqual(expect.arrayContaining(requests))
  // Prints the arguments of each command in place of sending it.
  const script = `TOKEN=token\ncurl() { printf '%s\\0' "$@"; printf '\\1'; }\n${[...examples.values()].join('\n')}`
  const { stdout, stderr } = spawnSync('bash', ['-eu'], { input: script, encoding: 'utf8' })
  expect(stderr).toBe('')
  const commands = stdout.split('\u0001').slice(0, -1)
  expect(commands).toHaveLength(examples.size)
  for (const command of commands) {
    const parts = command.split('\0')
    const body = parts[parts.indexOf('-d') + 1]
    if (parts.includes('-d') && body !== undefined) expect(() => JSON.parse(body)).not.toThrow()
    expect(parts.some((part) => part.startsWith('http://localhost:8787/'))).toBe(true)
  }
})
