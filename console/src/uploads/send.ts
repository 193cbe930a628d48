import {
  type Client,
  type FileRecord,
  type SeekableContent,
  ServiceError,
  type Upload,
  type UploadedAsset,
  type UploadProgress,
} from 'edge-game-storage-client'
import type { Target } from './target.ts'

interface Sending {
  /** The interrupted upload to resume. */
  upload_id: string | undefined
  /** Identifies the upload of a new file, so that another attempt creates no second one. */
  key: string
  /** Aborts the upload once it has an id, without which it could not be aborted on the service. */
  signal: AbortSignal
  onStarted: (upload: Upload) => void
  /** Called when all content has arrived and waits for the studio's check. */
  onProcessing: (upload: Upload) => void
  onProgress: (progress: UploadProgress) => void
  /** How many parts are sent at a time. */
  parallel: number
  /** For new content of a file: replaces it although it was changed since the upload began. */
  isForced: boolean
}

/**
 * Starts or resumes an upload. A resumed upload of a new asset may have another name than at its start. A small file goes in one
 * request, without `onStarted`, which is not aborted.
 */
export async function send(
  client: Client,
  content: SeekableContent,
  name: string,
  target: Target,
  sending: Sending,
): Promise<{ file: FileRecord } | UploadedAsset> {
  const { kind, ...started } = target
  const { key, isForced, upload_id, ...given } = sending
  const { signal } = given
  const isNew = upload_id === undefined
  const ended = new AbortController()
  let hasId = !isNew
  const end = () => {
    if (hasId) ended.abort()
  }
  signal.addEventListener('abort', end)
  const options = {
    ...given,
    uploadId: upload_id,
    signal: ended.signal,
    onStarted: (upload: Upload) => {
      hasId = true
      sending.onStarted(upload)
      if (signal.aborted) end()
    },
  }
  if (target.kind === 'file') {
    if (!isNew) return { file: await client.files.upload({ content }, options) }
    const file = { content, parent_id: target.folder_id, name }
    const first = client.files.upload(file, { ...options, idempotencyKey: key })
    const uploaded = await first.catch((error: unknown) => {
      if (!hasTooManyKeys(error)) throw error
      return client.files.upload(file, options)
    })
    return { file: uploaded }
  }
  if (target.kind === 'content') {
    // The revision of the start is compared again at the completion, which a resumed upload changes only when it is forced.
    const { etag } = isNew || isForced ? await client.files.get({ id: target.file_id }) : {}
    const file = await client.files.upload(
      { content, ...(isNew && { file_id: target.file_id }) },
      { ...options, ifMatch: etag },
    )
    return { file }
  }
  return client.assets.upload({ content, ...(isNew && started), ...(kind === 'asset' && { name }) }, options)
}

function hasTooManyKeys(error: unknown): boolean {
  return error instanceof ServiceError && error.limit === 'idempotency_keys'
}

/** Whether the studio's check has rejected the content. */
export function isRejected(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'UPLOAD_REJECTED'
}

/** Whether an error says that the upload has ended on the service. */
export function hasEnded(error: unknown): boolean {
  return (
    isGone(error) ||
    (error instanceof ServiceError && ['UPLOAD_MISMATCH', 'UPLOAD_REJECTED'].includes(error.code))
  )
}

/** Rethrows an error, unless it says that the service no longer has the upload. */
export function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error
}

function isGone(error: unknown): boolean {
  return error instanceof ServiceError && ['UPLOAD_NOT_FOUND', 'UPLOAD_EXPIRED'].includes(error.code)
}
