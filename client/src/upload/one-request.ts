import type { ContentRequests } from '../content.ts'
import { ServiceError } from '../errors.ts'
import type { FilesOperations } from '../operations.ts'
import type { FileRecord } from '../records.ts'
import { type Bytes, matching } from '../transport.ts'
import { readWhole, type Source, typeOf } from './content.ts'
import type { FileContent, UploadOptions } from './options.ts'

/** The service's default limit of content in one request (MAX_INLINE_BYTES). */
export const ONE_REQUEST_BYTES = 2 ** 20

/**
 * Sends small files in one request each. A refusal that says that content needs an upload has had no effect; it is remembered,
 * because the limit and the kinds that are checked first are the deployment's.
 */
export class OneRequest {
  readonly #requests: ContentRequests
  readonly #files: FilesOperations
  #mostBytes = ONE_REQUEST_BYTES
  readonly #checkedKinds = new Set<string>()

  constructor(requests: ContentRequests, files: FilesOperations) {
    this.#requests = requests
    this.#files = files
  }

  /** Creates a file, or replaces the content of one. Returns undefined when that takes an upload. */
  async send(
    content: Source,
    given: FileContent,
    options: UploadOptions,
  ): Promise<{ file: FileRecord } | undefined> {
    const { onProgress } = options
    const { asset_type = '' } = given
    const { size } = content
    const mime_type = typeOf(content, given.mime_type)
    const kind = `${asset_type} ${mime_type}`
    if (size > this.#mostBytes || this.#checkedKinds.has(kind) || needsUpload(given, options))
      return undefined
    try {
      onProgress?.({ sent_bytes: 0, size_bytes: size })
      const whole = await readWhole(content)
      const sha256 = given.checksum_sha256 ?? whole.sha256
      const send = () => this.#sent({ ...whole, mime_type, sha256 }, content.name, given, options)
      const file = await send().catch((error: unknown) => {
        // What arrived may differ from what was sent.
        if (error instanceof ServiceError && error.code === 'UPLOAD_MISMATCH') return send()
        throw error
      })
      onProgress?.({ sent_bytes: size, size_bytes: size })
      return { file }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      switch (error.code) {
        case 'BODY_TOO_LARGE':
          this.#mostBytes = Math.min(this.#mostBytes, size - 1)
          return undefined
        case 'UPLOAD_REQUIRED':
          this.#checkedKinds.add(kind)
          return undefined
        // A service of before these operations.
        case 'NOT_FOUND':
        case 'METHOD_NOT_ALLOWED':
          this.#mostBytes = -1
          return undefined
        // The key may be that of an upload, which an earlier version of the client started.
        case 'IDEMPOTENCY_KEY_REUSED':
          return undefined
        default:
          throw error
      }
    }
  }

  async #sent(bytes: Bytes, contentName: string | undefined, given: FileContent, options: UploadOptions) {
    const { file_id, name = contentName, parent_id, asset_type } = given
    const { signal, idempotencyKey } = options
    if (file_id !== undefined) return this.#replaced(file_id, bytes, options)
    const file = {
      name: name ?? '',
      ...(parent_id != null && { parent_id }),
      ...(asset_type !== undefined && { asset_type }),
    }
    return this.#requests.create(file, bytes, { signal, idempotencyKey })
  }

  async #replaced(id: string, bytes: Bytes, { signal, ifMatch }: UploadOptions) {
    let wasLost = false
    const onLost = () => {
      wasLost = true
    }
    try {
      const { etag: _, ...file } = await this.#requests.replace(id, bytes, {
        signal,
        onLost,
        ...matching(ifMatch),
      })
      return file
    } catch (error) {
      const isChanged = error instanceof ServiceError && error.code === 'PRECONDITION_FAILED'
      // An earlier attempt, whose answer was lost, may be what has changed the file.
      const file = isChanged && wasLost ? await this.#fileWith(bytes, id, signal) : undefined
      if (!file) throw error
      return file
    }
  }

  /** The file, if these bytes are its content now. */
  async #fileWith({ content }: Bytes, id: string, signal: AbortSignal | undefined) {
    if (!(content instanceof Uint8Array)) return undefined
    const { file, etag } = await this.#files.get({ id }, { signal })
    const answer = await this.#requests.read(id, { signal })
    const found = new Uint8Array(await answer.arrayBuffer())
    const isSame = found.length === content.length && found.every((byte, i) => byte === content[i])
    return isSame && strong(answer.headers.get('ETag') ?? '') === strong(etag) ? file : undefined
  }
}

/** A tag as the service has sent it: proxies weaken those of answers that they compress. */
const strong = (etag: string) => etag.replace(/^W\//, '')

/**
 * Whether only an upload can keep what the options promise: an id to resume with, a key for the new content of a file, or the
 * errors of members that contradict each other.
 */
function needsUpload(
  { file_id, name, parent_id, asset_type }: FileContent,
  { uploadId, onStarted, idempotencyKey, ifMatch }: UploadOptions,
): boolean {
  if (uploadId !== undefined) return true
  if (file_id === undefined)
    return (onStarted !== undefined && idempotencyKey === undefined) || ifMatch !== undefined
  const isNamed = [name, parent_id, asset_type].some((member) => member !== undefined)
  return onStarted !== undefined || idempotencyKey !== undefined || isNamed
}
