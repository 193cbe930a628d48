import type { Arguments } from '../arguments.ts'
import { ServiceError } from '../errors.ts'
import type { Operations } from '../operations.ts'
import type { ChangeOptions, CreationOptions } from '../options.ts'
import { backoffDelay, withRetries } from '../retry.ts'
import type { Transport } from '../transport.ts'
import { type Content, checksumOf, type SeekableContent, seekable } from './content.ts'
import { missingParts, type SendOptions, sendParts } from './parts.ts'
import { isLost, put, StorageError } from './put.ts'
import { verdictOn } from './verdict.ts'

type Start = Arguments<'startUpload'>
type Derived = 'upload_type' | 'size_bytes' | 'mime_type'
type Started = Awaited<ReturnType<Operations['startUpload']>>
type Completed = Awaited<ReturnType<Operations['completeUpload']>>

/** A completed upload of a file. */
export type CompletedFile = Extract<Completed, { file: unknown }>
/** A completed upload of a version of a game asset. */
export type CompletedAsset = Extract<Completed, { asset: unknown }>

/** How much of the content has been sent. It goes back when something is sent again. */
export interface UploadProgress {
  upload_id: string
  sent_bytes: number
  size_bytes: number
}

interface Sending extends CreationOptions, ChangeOptions {
  /** An upload that was cut, to go on with: it needs nothing else. Without it, a new upload is started. */
  upload_id?: string | undefined
  /** Told the upload before anything is sent. Keep its `id` until the upload is complete. */
  onStarted?: ((upload: Started) => void) | undefined
  /** Told the upload when its content has arrived and the studio checks it first (docs/content-check.md). */
  onProcessing?: ((upload: Completed['upload']) => void) | undefined
  /** Told how much has been sent, once at least. */
  onProgress?: ((progress: UploadProgress) => void) | undefined
  /** How many parts are sent at a time. Default: 4. */
  parallel?: number | undefined
  /** Default: the type of the content, or `application/octet-stream`. */
  mime_type?: string | undefined
}

/** Content for a new file, or with `file_id`, new content for a file. The name is by default that of the content. */
export type FileUpload = Sending &
  Omit<Extract<Start, { upload_type: 'file' }>, Derived> & { upload_type?: 'file' }

/** Content for a new asset, or with `asset_id`, a new version of an asset. */
export type AssetUpload = Sending &
  Omit<Extract<Start, { upload_type: 'game_asset' }>, Derived> & { upload_type: 'game_asset' }

/** `client.upload` */
export interface Upload {
  (content: Content, options: AssetUpload): Promise<CompletedAsset>
  (content: Content, options?: FileUpload): Promise<CompletedFile>
}

const DEFAULT_PARALLEL = 4
/** Up to here the service takes content in one PUT, unless it is configured otherwise. */
const ONE_PUT_BYTES = 100 * 2 ** 20
/** What storage answers to a second PUT: its URL creates its object once. */
const HAS_ARRIVED = 412

/** Makes `client.upload`. */
export function uploader(transport: Transport, operations: Operations): Upload {
  function upload(content: Content, options: AssetUpload): Promise<CompletedAsset>
  function upload(content: Content, options?: FileUpload): Promise<CompletedFile>
  async function upload(given: Content, options: AssetUpload | FileUpload = {}): Promise<Completed> {
    const content = seekable(given)
    const { upload_id, signal } = options
    const upload =
      upload_id === undefined
        ? await start(operations, content, options)
        : await operations.getUpload({ id: upload_id }, { signal })
    const upload_type = options.upload_type ?? 'file'
    if (upload.upload_type !== upload_type)
      throw new TypeError(`The upload is one of a ${upload.upload_type}: give its upload_type.`)
    if (upload.size_bytes !== content.size)
      throw new RangeError(
        `The upload is one of ${upload.size_bytes} bytes, and the content has ${content.size}.`,
      )
    options.onStarted?.(upload)

    const complete = () => completed(operations, upload.id, options)
    if (upload.state !== 'open') return complete()
    if (upload_id !== undefined && !partsOf(upload)) {
      // Its content may have arrived before the upload was cut.
      const completed = await complete().catch(unlessCode('UPLOAD_INCOMPLETE'))
      if (completed) return completed
    }
    const sending = sendOptions(transport, upload, content, options)
    const parts = partsOf(upload)
    if (!parts) {
      await sendWhole(operations, upload, content, sending).catch(unlessCode('UPLOAD_COMPLETED'))
      return complete()
    }
    const send = (numbers: number[]) =>
      sendParts(operations, upload.id, parts, numbers, content, sending).catch(unlessCode('UPLOAD_COMPLETED'))
    const missing = missingParts(parts)
    const lost = await send(missing)
    const whole = await complete().catch(unlessCode('UPLOAD_INCOMPLETE'))
    if (whole) return whole
    // Of a part that was sent twice, storage keeps what arrived last: that may be what was given up, with another ETag.
    const repeated = upload_id === undefined ? lost : missing
    await send(repeated?.length ? repeated : missingParts({ ...parts, uploaded: [] }))
    return complete()
  }
  return upload
}

/** Completes an upload. Waits for the verdict where the content is checked first: as long as that takes. */
async function completed(
  operations: Operations,
  id: string,
  options: AssetUpload | FileUpload,
): Promise<Completed> {
  const { signal } = options
  for (let isFirst = true; ; isFirst = false) {
    const answer = await operations.completeUpload({ id, ...renamed(options) }, healed(options))
    if (answer.upload.state !== 'processing') return answer
    if (isFirst) options.onProcessing?.(answer.upload)
    await verdictOn(operations, id, signal)
  }
}

/** For a new asset that is resumed: its name may be another than at the start, where the first is taken meanwhile. */
function renamed({ upload_id, upload_type, name }: AssetUpload | FileUpload) {
  return upload_id !== undefined && upload_type === 'game_asset' && name !== undefined ? { name } : {}
}

/** For a replacement that is resumed: the ETag may be another than at the start, where the file has changed meanwhile. */
function healed({ upload_id, ifMatch, signal }: AssetUpload | FileUpload) {
  return upload_id === undefined ? { signal } : { signal, ifMatch }
}

/** Starts an upload, with a checksum where the service takes one. */
async function start(
  operations: Operations,
  content: SeekableContent,
  options: AssetUpload | FileUpload,
): Promise<Started> {
  const { upload_id, onProgress, onStarted, onProcessing, parallel, mime_type, ...named } = options
  const { signal, ifMatch, idempotencyKey, ...target } = named
  const declared = {
    size_bytes: content.size,
    mime_type: mime_type ?? (content.type?.split(';')[0] || 'application/octet-stream'),
  }
  const isNamed =
    target.name !== undefined || target.upload_type === 'game_asset' || target.file_id !== undefined
  const name = isNamed || content.name === undefined ? {} : { name: content.name }
  const body: Start =
    target.upload_type === 'game_asset'
      ? { ...target, ...declared }
      : { ...name, ...target, upload_type: 'file', ...declared }
  const send = async (isChecked: boolean) => {
    const checksum_sha256 = isChecked ? await checksumOf(content, signal) : undefined
    const members = checksum_sha256 === undefined ? body : { ...body, checksum_sha256 }
    return operations.startUpload(members, { signal, ifMatch, idempotencyKey })
  }
  const isChecked = body.checksum_sha256 === undefined && content.size <= ONE_PUT_BYTES
  try {
    return await send(isChecked)
  } catch (error) {
    // Content in parts has no checksum. From which size on, and whether one is required, is the service's to say.
    const isAboutChecksum =
      error instanceof ServiceError && error.errors.some(({ path }) => path === '/checksum_sha256')
    if (!isAboutChecksum || body.checksum_sha256 !== undefined) throw error
    return send(!isChecked)
  }
}

function sendOptions(
  transport: Transport,
  upload: Started,
  { size }: SeekableContent,
  { onProgress, parallel = DEFAULT_PARALLEL, signal }: Sending,
): SendOptions {
  return {
    fetch: transport.ownFetch,
    stallMs: transport.timeoutMs,
    signal: signal ?? new AbortController().signal,
    delayOf: (failures) => backoffDelay(transport.backoff, failures),
    onSent: (sent_bytes) => onProgress?.({ upload_id: upload.id, sent_bytes, size_bytes: size }),
    parallel,
  }
}

/** Sends the content in one PUT, again as often as it is lost. */
async function sendWhole(
  operations: Operations,
  upload: Started,
  content: SeekableContent,
  options: SendOptions,
): Promise<void> {
  let target = targetOf(upload)
  let failures = 0
  const attempt = async () => {
    target ??= targetOf(await operations.getUpload({ id: upload.id }, { signal: options.signal }))
    if (!target) return // it has ended meanwhile: its completion says how
    options.onSent(0)
    await put(target, await content.slice(0, content.size), options).catch((error: unknown) => {
      if (!(error instanceof StorageError && error.status === HAS_ARRIVED)) throw error
    })
  }
  const delayOf = (error: unknown) => {
    if (!isLost(error)) return undefined
    target = undefined // storage may have closed the connection before it was heard to refuse the URL
    failures += 1
    return options.delayOf(failures)
  }
  await withRetries(attempt, delayOf, options.signal)
  options.onSent(content.size)
}

const partsOf = (upload: Started) => ('multipart' in upload ? upload.multipart : undefined)

function targetOf(upload: Started) {
  if (!('url' in upload) || upload.url === undefined || upload.headers === undefined) return undefined
  return { url: upload.url, headers: upload.headers }
}

/** Returns undefined for an error of this code, and throws any other. */
function unlessCode(code: ServiceError['code']) {
  return (error: unknown) => {
    if (!(error instanceof ServiceError && error.code === code)) throw error
    return undefined
  }
}
