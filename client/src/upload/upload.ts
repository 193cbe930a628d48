import type { ContentOperations } from '../content.ts'
import { ContentChangedError, ServiceError } from '../errors.ts'
import type { Operations } from '../operations.ts'
import { backoffDelay, withRetries } from '../retry.ts'
import { checkMatch, type Transport } from '../transport.ts'
import { type Content, checksumOf, type Source, seekable, sourceOf, typeOf } from './content.ts'
import { OneRequest } from './one-request.ts'
import type {
  AssetUpload,
  Completed,
  CompletedAsset,
  CompletedFile,
  FileUpload,
  Sending,
  Start,
  Started,
  Upload,
} from './options.ts'
import type { UploadedPart } from './part-requests.ts'
import { allParts, type SendOptions, sendParts } from './parts.ts'
import { isLost, put, StorageError } from './put.ts'
import { verdictOn } from './verdict.ts'

const DEFAULT_PARALLEL = 4
/** The service's default limit of content in one PUT. */
const ONE_PUT_BYTES = 100 * 2 ** 20
/** The status of a repeated PUT: an upload URL creates its object once, so the content has arrived. */
const PRECONDITION_FAILED = 412

/** Makes `client.upload`. */
export function uploader(transport: Transport, operations: Operations & ContentOperations): Upload {
  const oneRequest = new OneRequest(operations)
  function upload(content: Content, options: AssetUpload): Promise<CompletedAsset>
  function upload(content: Content, options?: FileUpload): Promise<CompletedFile>
  async function upload(
    given: Content,
    options: AssetUpload | FileUpload = {},
  ): Promise<Completed | CompletedFile> {
    const content = sourceOf(seekable(given))
    checkMatch(options)
    if (options.upload_type !== 'game_asset') {
      const sent = await oneRequest.send(content, options)
      if (sent) return sent
    }
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

    const arrived = new Map<number, UploadedPart>()
    const complete = () => completed(operations, upload.id, [...arrived.values()], options)
    if (upload.state !== 'open') return complete()
    const parts = partsOf(upload)
    const sending = sendOptions(transport, upload, content, options)
    if (!parts) {
      if (upload_id !== undefined) {
        await compare(upload, content, options)
        // Its content may have arrived before the upload was cut.
        const completed = await complete().catch(unlessCode('UPLOAD_INCOMPLETE'))
        if (completed) return completed
      }
      await sendWhole(operations, upload, content, sending).catch(unlessCode('UPLOAD_COMPLETED'))
      return complete()
    }
    const send = (numbers: number[], uploaded: UploadedPart[] = []) =>
      sendParts(operations, upload.id, { ...parts, uploaded }, numbers, content, arrived, sending).catch(
        unlessCode('UPLOAD_COMPLETED'),
      )
    const all = allParts(parts)
    const recorded = new Set(parts.uploaded)
    const lost = await send(all, [...recorded])
    const whole = await complete().catch(unlessCode('UPLOAD_INCOMPLETE'))
    if (whole) return whole
    // UPLOAD_INCOMPLETE: of a part that was sent twice, storage keeps the PUT that ended last, which may be an abandoned one with
    // another ETag than recorded. First the parts are sent again that this run may have sent twice, then those of earlier runs.
    const sent = [...arrived.values()].filter((part) => !recorded.has(part))
    const repeated = new Set(upload_id === undefined ? lost : sent.map(({ part_number }) => part_number))
    const others = all.filter((part_number) => !repeated.has(part_number))
    for (const numbers of [[...repeated], others]) {
      if (numbers.length === 0) continue
      await send(numbers)
      const joined = await complete().catch(unlessCode('UPLOAD_INCOMPLETE'))
      if (joined) return joined
    }
    return complete()
  }
  return upload
}

/** Completes an upload. Where the studio checks content, waits for the verdict without a time limit. */
async function completed(
  operations: Operations,
  id: string,
  arrived: UploadedPart[],
  options: AssetUpload | FileUpload,
): Promise<Completed> {
  const { signal } = options
  // Of the recorded parts, another device may have sent and recorded some with other content. Without checksums, a body of 1 MiB
  // holds 10,000 parts.
  const parts = arrived.map(({ part_number, etag }) => ({ part_number, etag }))
  const listed = parts.length > 0 ? { parts } : {}
  for (let isFirst = true; ; isFirst = false) {
    const answer = await operations.completeUpload(
      { id, ...listed, ...resumedName(options) },
      resumedOptions(options),
    )
    if (answer.upload.state !== 'processing') return answer
    if (isFirst) options.onProcessing?.(answer.upload)
    await verdictOn(operations, id, signal)
  }
}

/** A resumed upload of a new asset may pass another name, in case the first has been taken meanwhile. */
function resumedName({ upload_id, upload_type, name }: AssetUpload | FileUpload) {
  return upload_id !== undefined && upload_type === 'game_asset' && name !== undefined ? { name } : {}
}

/** A resumed replacement may pass another ETag, in case the file has changed meanwhile. */
function resumedOptions({ upload_id, ifMatch, signal }: AssetUpload | FileUpload) {
  return upload_id === undefined ? { signal } : { signal, ifMatch }
}

/** Compares content with the checksum that its upload in one PUT was started with. @throws ContentChangedError */
async function compare(upload: Started, content: Source, options: Sending & Pick<Start, 'checksum_sha256'>) {
  const declared = targetOf(upload)?.headers['x-amz-checksum-sha256']
  if (declared === undefined) return
  const checksum = (await checksumOf(content, options.signal)) ?? options.checksum_sha256
  if (checksum !== undefined && checksum !== declared) throw new ContentChangedError()
}

/** Starts an upload, with a checksum if the service accepts one for this size. */
async function start(
  operations: Operations,
  content: Source,
  options: AssetUpload | FileUpload,
): Promise<Started> {
  const { upload_id, onProgress, onStarted, onProcessing, parallel, mime_type, ...named } = options
  const { signal, ifMatch, idempotencyKey, ...target } = named
  const declared = {
    size_bytes: content.size,
    mime_type: typeOf(content, mime_type),
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
    // The service's configuration decides from which size on content goes in parts, without a checksum, and whether smaller
    // content requires one.
    const isAboutChecksum =
      error instanceof ServiceError && error.errors.some(({ path }) => path === '/checksum_sha256')
    if (!isAboutChecksum || body.checksum_sha256 !== undefined) throw error
    return send(!isChecked)
  }
}

function sendOptions(
  transport: Transport,
  upload: Started,
  { size }: Source,
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

/** Sends the content in one PUT, and repeats it when it fails. */
async function sendWhole(
  operations: Operations,
  upload: Started,
  content: Source,
  options: SendOptions,
): Promise<void> {
  let target = targetOf(upload)
  let failures = 0
  const attempt = async () => {
    target ??= targetOf(await operations.getUpload({ id: upload.id }, { signal: options.signal }))
    if (!target) return // the upload has ended meanwhile: its completion returns the outcome
    options.onSent(0)
    await put(target, content, [0, content.size], options).catch((error: unknown) => {
      if (!(error instanceof StorageError && error.status === PRECONDITION_FAILED)) throw error
    })
  }
  const delayOf = (error: unknown) => {
    if (!isLost(error)) return undefined
    target = undefined // the URL may have expired: storage can close the connection before its answer is read
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
