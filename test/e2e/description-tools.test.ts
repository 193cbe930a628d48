/** What tools of others make of the descriptions: a linter, and a generator of types. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import clients from '../../docs/openapi.json' with { type: 'json' }
import operators from '../../docs/openapi.operators.json' with { type: 'json' }
import { socketDescription } from '../support/exposed.ts'
import { runTool } from './tools.ts'

/** The tools take seconds each, and their installation some more. */
const TIMEOUT_MS = 180_000

const folder = mkdtempSync(join(tmpdir(), 'descriptions-'))
afterAll(() => rmSync(folder, { recursive: true }))

writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\n')

/** The documents, as files in the folder, each beside a short one with a fault. */
const { license: _, ...unlicensed } = clients.info
const { license: __, ...unlicensedOperators } = operators.info
const { info: ___, ...nameless } = socketDescription
const documents = {
  'clients.json': clients,
  'operators.json': operators,
  'socket.json': socketDescription,
  'clients-faulty.json': { ...clients, info: unlicensed, paths: {}, components: {} },
  'operators-faulty.json': { ...operators, info: unlicensedOperators, paths: {}, components: {} },
  'socket-faulty.json': nameless,
}
for (const [name, document] of Object.entries(documents))
  writeFileSync(join(folder, name), JSON.stringify(document))

it('Redocly’s recommended rules find nothing in the descriptions', { timeout: TIMEOUT_MS }, async () => {
  const options = ['--config', 'redocly.yaml', '--format=json']
  const linted = Object.keys(documents)
  // Its command fails on errors, and prints warnings: a report for each document.
  const printed = await runTool('@redocly/cli/bin/cli.js', ['lint', ...linted, ...options], folder)
  const reports: Report[] = printed.split(/(?<=^\})(?=\{$)/m).map((report) => JSON.parse(report))
  expect(reports).toHaveLength(linted.length)
  const lines = reports.flatMap(({ problems }) =>
    problems.map(({ ruleId, message, location }) => `${location[0]?.source.ref} ${ruleId}: ${message}`),
  )
  const isFaulty = (line: string) => line.includes('-faulty')
  expect(lines.filter((line) => !isFaulty(line))).toEqual([])
  expect(linted.filter(isFaulty).filter((name) => !lines.some((line) => line.startsWith(name)))).toEqual([])
})

interface Report {
  problems: { ruleId: string; message: string; location: { source: { ref: string } }[] }[]
}

/** What a program that is written with the generated types may rely on, and what the compiler has to refuse. */
const consumer = `
import type { components, operations, paths } from './schema.d.ts'

type Schemas = components['schemas']
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

type ResponsesOf<Name extends keyof operations> = operations[Name]['responses']
type CodeOf<Response> = Response extends { content: { 'application/problem+json': { code: infer Code } } } ? Code : never
/** The codes that an operation answers. */
type CodesOf<Name extends keyof operations> = {
  [Status in keyof ResponsesOf<Name>]: CodeOf<ResponsesOf<Name>[Status]>
}[keyof ResponsesOf<Name>]

type Common =
  | 'VALIDATION_FAILED' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'RATE_LIMITED' | 'INTERNAL' | 'UNAVAILABLE'
export const codesOfQuota: Equal<CodesOf<'getQuota'>, Common> = true
export const codesOfRestoring: Equal<
  CodesOf<'restoreFile'>,
  | Common
  | ('FILE_NOT_FOUND' | 'FILE_NOT_TRASHED' | 'MALFORMED_JSON' | 'BODY_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE')
> = true
export const statusOfMissing: Equal<
  components['responses']['FileNotFound']['content']['application/problem+json']['status'],
  404
> = true
// @ts-expect-error no operation answers it
export const unknownCode: Schemas['Problem']['code'] = 'OUT_OF_CHEESE'

/** An upload is told apart by its state, an open one by how its content is sent. */
export function told(upload: Schemas['Upload']): string {
  // @ts-expect-error only an open one that takes one PUT has a URL
  upload.url
  if (upload.state !== 'open') return upload.state satisfies 'processing' | 'completed' | 'failed'
  if ('multipart' in upload) return upload.multipart.part_count.toFixed()
  return upload.url + upload.headers['Content-Type']
}

export function made(completed: Schemas['CompletedUpload']): string {
  return 'file' in completed ? completed.file.name : completed.asset.name + completed.version.version
}

const content = { size_bytes: 3, mime_type: 'text/plain' }
export const file: Schemas['StartUpload'] = { upload_type: 'file', name: 'a.txt', ...content }
export const world: Schemas['StartUpload'] = { upload_type: 'game_asset', name: 'a', asset_type: 'world', ...content }
// @ts-expect-error a file is no world
export const neither: Schemas['StartUpload'] = { upload_type: 'file', name: 'a', asset_type: 'world', ...content }

type Query = NonNullable<operations['listAssets']['parameters']['query']>
export const deleted: Equal<Query['deleted'], boolean | undefined> = true
export const socket: Equal<Extract<keyof paths, '/v1/notifications/ws'>, never> = true
`

it('a generator makes types whose codes are unions and whose uploads are told apart, and they compile', {
  timeout: TIMEOUT_MS,
}, async () => {
  await runTool('openapi-typescript/bin/cli.js', ['clients.json', '-o', 'types/schema.d.ts'], folder)
  writeFileSync(join(folder, 'types/consumer.ts'), consumer)
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  }
  writeFileSync(join(folder, 'types/tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  expect(await runTool('typescript/bin/tsc', ['-p', 'types'], folder)).toBe('')
})
