import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { project } from './citations.ts'
import { runTool } from './tools.ts'

const TIMEOUT_MS = 120_000
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generated-'))
  const description = join(project, 'docs/openapi.json')
  await runTool('openapi-typescript/bin/cli.js', [description, '-o', join(folder, 'schema.d.ts')], folder)
}, TIMEOUT_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

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

type Common = 'VALIDATION_FAILED' | 'UNAUTHENTICATED' | 'RATE_LIMITED' | 'INTERNAL' | 'UNAVAILABLE'
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

it('generates types whose codes are unions and whose uploads are told apart, and they compile', {
  timeout: TIMEOUT_MS,
}, async () => {
  await writeFile(join(folder, 'consumer.ts'), consumer)
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  expect(await runTool('typescript/bin/tsc', ['-p', folder], folder)).toBe('')
})
