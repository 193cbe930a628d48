import { env } from 'cloudflare:test'
import { type Answer, made } from '../answer.ts'
import { bytes } from '../content.ts'
import { idOf, newKey } from '../ids.ts'
import { png } from '../pictures.ts'
import { records, Upload } from '../records.ts'
import { put, signUp, type User } from '../user.ts'
import type { Budget, Measuring } from './measure.ts'
import { FEW, type World } from './world.ts'

/** Content that is longer comes in parts. */
const THRESHOLD = 1_000
const short = bytes('content')
const long = new Uint8Array(2 * THRESHOLD)
/** What the breakdown of the quota lists. */
const large = new Uint8Array(2 ** 20)
const checksum_sha256 = '7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=' // of "content"

/** The items on the path of a file in ada's folder, itself included. */
const d = 3

/** Measures the requests of each kind of upload, and of content in one request. */
export async function measureUploads(costs: Measuring, world: World): Promise<void> {
  const ada = world.ada.through(costs.differently({ MULTIPART_THRESHOLD: String(THRESHOLD) }))
  const parent_id = world.folder.id
  const file = idOf(await ada.createContent('first', { name: 'replaced', parent_id }))
  const asset = (await world.ada.asset('with versions')).id
  const ofFile = { upload_type: 'file', mime_type: 'text/plain' }
  const ofAsset = { upload_type: 'game_asset', mime_type: 'text/plain' }
  const newFile = { name: 'new', parent_id, ...ofFile }
  const newAsset = () => ({ name: `asset ${crypto.randomUUID()}`, asset_type: 'world', ...ofAsset })
  const kinds: [kind: string, content: Uint8Array, declared: () => object][] = [
    ['a file', short, () => newFile],
    ['a file with a checksum', short, () => ({ ...newFile, checksum_sha256 })],
    ['a picture', png, () => ({ ...newFile, asset_type: 'profile_pic', mime_type: 'image/png' })],
    ['a file in parts', long, () => newFile],
    ['new content', short, () => ({ file_id: file, ...ofFile })],
    ['new content in parts', long, () => ({ file_id: file, ...ofFile })],
    ['an asset', short, newAsset],
    ['an asset in parts', long, newAsset],
    ['a version', short, () => ({ asset_id: asset, ...ofAsset })],
    ['a version in parts', long, () => ({ asset_id: asset, ...ofAsset })],
    ['a file of 1 MiB, in parts', large, () => newFile],
    ['a version of 1 MiB, in parts', large, () => ({ asset_id: asset, ...ofAsset })],
  ]
  for (const [kind, content, declared] of kinds)
    await measureUpload(costs, ada, kind, content, () => ({ ...declared(), size_bytes: content.length }))
  const breakdown: Budget = { trips: 1, rows_read: 60, rows_written: 0, varies: 'many' }
  await costs.measure('what takes the storage', () => ada.get('/quota/breakdown'), 200, breakdown)
  await measureContent(costs, world, file)
}

async function measureUpload(
  { measure }: Measuring,
  ada: User,
  kind: string,
  content: Uint8Array,
  body: () => object,
): Promise<void> {
  const parts = content.length > THRESHOLD ? 1 : 0
  const start: Budget = { trips: 1, rows_read: 4 * d + 30, rows_written: 12, r2_calls: parts }
  const look: Budget = { trips: 1, rows_read: 4 * d + 10, rows_written: 0, r2_calls: 0 }
  const complete: Budget = { trips: 2, rows_read: 4 * d + 60, rows_written: 20, r2_calls: 2 }
  const keyed: Budget = { ...start, rows_written: 14 }
  const upload = made(
    Upload,
    await measure(`start the upload of ${kind}`, () => ada.startUpload(body()), 201, start),
    201,
  )
  await measure('get an upload', () => ada.get(`/uploads/${upload.id}`), 200, look)
  if (upload.multipart) {
    const asked = await measure('URLs of parts', () => ada.parts(upload, { part_numbers: [1] }), 200, look)
    const uploaded = [await sendPart(asked, content)]
    const record = { ...look, rows_written: 1 }
    await measure('record parts', () => ada.parts(upload, { uploaded }), 200, record)
  } else await put(upload, content)
  await measure(`complete the upload of ${kind}`, () => ada.complete(upload), 200, complete)
  const again: Budget = { ...look, rows_read: 4 * d + 60 }
  await measure('complete a completed upload', () => ada.complete(upload), 200, again)
  const withKey = () => ada.startUpload(body(), newKey())
  const other = made(
    Upload,
    await measure(`start the upload of ${kind} with a key`, withKey, 201, keyed),
    201,
  )
  await measure(`abort the upload of ${kind}`, () => ada.abort(other), 204, { ...start, r2_calls: 1 + parts })
}

/** Sends the only part of an upload to its URL. Returns what the client tells of it. */
async function sendPart(asked: Answer, content: Uint8Array) {
  const [part] = made(records.PartUrls, asked, 200).parts
  const sent = await env.S3.fetch(part?.url ?? '', { method: 'PUT', body: content, headers: part?.headers })
  return { part_number: 1, etag: sent.headers.get('ETag') ?? '', checksum_sha256: `${'A'.repeat(43)}=` }
}

/** Content in one request, up to 64 KiB and beyond; and of a file that has been replaced once, or a hundred times. */
async function measureContent(costs: Measuring, { ada, folder, count }: World, file: string): Promise<void> {
  const { measure } = costs
  const parent_id = folder.id
  const [most, more] = ['x'.repeat(65_536), 'x'.repeat(65_537)]
  const budget: Budget = { trips: 1, rows_read: 4 * d + 40, rows_written: 10, r2_calls: 1 }
  const twice = { ...budget, trips: 2 }
  const create = (content: string, query: object, headers = {}) =>
    ada.createContent(content, { name: 'b', ...query }, headers)
  await measure('create a file with 64 KiB', () => create(most, { parent_id }), 201, budget)
  await measure('create a file with more than 64 KiB', () => create(more, { parent_id }), 201, twice)
  await measure('create a file with more than 64 KiB in the root', () => create(more, {}), 201, budget)
  for (let times = 1; times <= (count > FEW ? 100 : 1); times++) await ada.replaceContent(file, `${times}`)
  const tag = (await ada.readContent(file)).headers.get('ETag') ?? ''
  const match = { 'If-Match': tag }
  await measure('replace the content of a revision', () => ada.replaceContent(file, most, match), 200, budget)
  await measure('replace the content by more than 64 KiB', () => ada.replaceContent(file, more), 200, twice)
  const body = { upload_type: 'file', file_id: file, mime_type: 'text/plain', size_bytes: short.length }
  const upload = made(Upload, await ada.startUpload(body), 201)
  await put(upload, short)
  await measure('complete an upload of content that was replaced often', () => ada.complete(upload))
  const known: Budget = { trips: 1, rows_read: 4 * d + 10, rows_written: 0, r2_calls: 0 }
  await measure(
    'read content that the client has',
    () => ada.readContent(file, { 'If-None-Match': '*' }),
    304,
    known,
  )
  if (count === FEW) await measureRefused(costs, ada, file, folder.id)
}

/** More than 64 KiB that nothing can take are not put. */
async function measureRefused({ measure, service }: Measuring, ada: User, file: string, folder: string) {
  const more = 'x'.repeat(65_537)
  const eve = await signUp('eve', service)
  const refused = (status: number, send: () => Promise<Answer>) =>
    measure('more than 64 KiB that nothing can take', send, status, {
      trips: 2,
      rows_written: 0,
      r2_calls: 0,
    })
  await refused(412, () => ada.replaceContent(file, more, { 'If-Match': '"1"' }))
  await refused(404, () => eve.replaceContent(file, more))
  await refused(404, () => ada.replaceContent('unknown', more))
  await refused(409, () => ada.replaceContent(folder, more))
  await refused(404, () => eve.createContent(more, { name: 'b', parent_id: folder }))
  const unknown = folder.replace(/.$/, 'x')
  await refused(404, () => ada.createContent(more, { name: 'b', parent_id: unknown }, newKey()))
}
