import { contentRequestsOf } from '../content.ts'
import { ContentChangedError, ServiceError, StorageError } from '../errors.ts'
import { filesOf, type UploadsOperations, uploadsOf } from '../operations.ts'
import type {
  CompletedAssetUpload,
  CompletedUpload,
  FileRecord,
  StartUpload,
  Upload,
  UploadedPart,
} from '../records.ts'
import { backoffDelay, withRetries } from '../retry.ts'
import { checkMatch, checkNames, matching, type Transport } from '../transport.ts'
import { checksumOf, type Source, seekable, sourceOf, typeOf } from './content.ts'
import { OneRequest } from './one-request.ts'
import type { AssetContent, FileContent, UploadOptions } from './options.ts'
import { allParts, type SendOptions, sendParts } from './parts.ts'
import { isLost, put } from './put.ts'
import { verdictOn } from './verdict.ts'

const DEFAULT_PARALLEL = 4
/** The service's default limit of content in one PUT. */
const ONE_PUT_BYTES = 100 * 2 ** 20
/** The status of a repeated PUT: an upload URL creates its object once, so the content has arrived. */
const PRECONDITION_FAILED = 412

type FileGiven = FileContent & { upload_type: 'file' }
type AssetGiven = AssetContent & { upload_type: 'game_asset' }

/** Uploads content. What went in one request has no upload. */
export interface Uploader {
  (given: FileGiven, options?: UploadOptions): Promise<{ file: FileRecord }>
  (given: AssetGiven, options?: UploadOptions): Promise<CompletedAssetUpload>
}

/** Makes the function that uploads. */
export function uploaderOf(transport: Transport): Uploader {
  const operations = uploadsOf(transport)
  const oneRequest = new OneRequest(contentRequestsOf(transport), filesOf(transport))
  function upload(given: FileGiven, options?: UploadOptions): Promise<{ file: FileRecord }>
  function upload(given: AssetGiven, options?: UploadOptions): Promise<CompletedAssetUpload>
  async function upload(
    given: FileGiven | AssetGiven,
    options: UploadOptions = {},
  ): Promise<CompletedUpload | { file: FileRecord }> {
    const content = sourceOf(seekable(given.content))
    checkNames(given, options)
    checkMatch(options)
    if (given.upload_type === 'file') {
      const sent = await oneRequest.send(content, given, options)
      if (sent) return sent
    }
    const { uploadId, signal } = options
    const upload =
      uploadId === undefined
        ? await start(operations, content, given, options)
        : await operations.get({ id: uploadId }, { signal })
    if (upload.upload_type !== given.upload_type)
      throw new TypeError(
        `The upload is one of a ${upload.upload_type}: resume it with ${upload.upload_type === 'file' ? 'files' : 'assets'}.upload.`,
      )
    if (upload.size_bytes !== content.size)
      throw new RangeError(
        `The upload is one of ${upload.size_bytes} bytes, and the content has ${content.size}.`,
      )
    options.onStarted?.(upload)

    const arrived = new Map<number, UploadedPart>()
    const complete = () => completed(operations, upload.id, [...arrived.values()], given, options)
    if (upload.state !== 'open') return complete()
    const parts = partsOf(upload)
    const sending = sendOptions(transport, upload, content, options)
    if (!parts) {
      if (uploadId !== undefined) {
        await compare(upload, content, given, signal)
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
    const repeated = new Set(uploadId === undefined ? lost : sent.map(({ part_number }) => part_number))
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
  operations: UploadsOperations,
  id: string,
  arrived: UploadedPart[],
  given: FileGiven | AssetGiven,
  options: UploadOptions,
): Promise<CompletedUpload> {
  const { signal } = options
  // Of the recorded parts, another device may have sent and recorded some with other content. Without checksums, a body of 1 MiB
  // holds 10,000 parts.
  const parts = arrived.map(({ part_number, etag }) => ({ part_number, etag }))
  const listed = parts.length > 0 ? { parts } : {}
  for (let isFirst = true; ; isFirst = false) {
    const answer = await operations.complete(
      { id, ...listed, ...resumedName(given, options) },
      resumedOptions(options),
    )
    if (answer.upload.state !== 'processing') return answer
    if (isFirst) options.onProcessing?.(answer.upload)
    await verdictOn(operations, id, signal)
  }
}

/** A resumed upload of a new asset may pass another name, in case the first has been taken meanwhile. */
function resumedName({ upload_type, name }: FileGiven | AssetGiven, { uploadId }: UploadOptions) {
  return uploadId !== undefined && upload_type === 'game_asset' && name !== undefined ? { name } : {}
}

/** A resumed replacement may pass another ETag, in case the file has changed meanwhile. */
function resumedOptions({ uploadId, ifMatch, signal }: UploadOptions) {
  return { signal, ...matching(uploadId === undefined ? undefined : ifMatch) }
}

/** Compares content with the checksum that its upload in one PUT was started with. @throws ContentChangedError */
async function compare(
  upload: Upload,
  content: Source,
  { checksum_sha256 }: FileGiven | AssetGiven,
  signal: AbortSignal | undefined,
) {
  const declared = targetOf(upload)?.headers['x-amz-checksum-sha256']
  if (declared === undefined) return
  const checksum = (await checksumOf(content, signal)) ?? checksum_sha256
  if (checksum !== undefined && checksum !== declared) throw new ContentChangedError()
}

/** Starts an upload, with a checksum if the service accepts one for this size. */
async function start(
  operations: UploadsOperations,
  content: Source,
  given: FileGiven | AssetGiven,
  { signal, ifMatch, idempotencyKey }: UploadOptions,
): Promise<Upload> {
  const { content: _, ...target } = given
  const declared = {
    size_bytes: content.size,
    mime_type: typeOf(content, given.mime_type),
  }
  const isNamed =
    target.name !== undefined || target.upload_type === 'game_asset' || target.file_id !== undefined
  const name = isNamed || content.name === undefined ? {} : { name: content.name }
  const body: StartUpload = { ...name, ...target, ...declared }
  const send = async (isChecked: boolean) => {
    const checksum_sha256 = isChecked ? await checksumOf(content, signal) : undefined
    const members = checksum_sha256 === undefined ? body : { ...body, checksum_sha256 }
    return operations.start(members, { signal, idempotencyKey, ...matching(ifMatch) })
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
  upload: Upload,
  { size }: Source,
  { onProgress, parallel = DEFAULT_PARALLEL, signal }: UploadOptions,
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
  operations: UploadsOperations,
  upload: Upload,
  content: Source,
  options: SendOptions,
): Promise<void> {
  let target = targetOf(upload)
  let failures = 0
  const attempt = async () => {
    target ??= targetOf(await operations.get({ id: upload.id }, { signal: options.signal }))
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

const partsOf = (upload: Upload) => ('multipart' in upload ? upload.multipart : undefined)

function targetOf(upload: Upload) {
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
