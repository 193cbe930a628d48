import {
  type Client,
  type CompletedAsset,
  type CompletedFile,
  type SeekableContent,
  ServiceError,
  type UploadProgress,
} from 'edge-game-storage-client'
import type { Target } from './target.ts'

type Started = Awaited<ReturnType<Client['startUpload']>>

interface Sending {
  /** The interrupted upload to resume. */
  upload_id: string | undefined
  /** Identifies the upload of a new file, so that another attempt creates no second one. */
  key: string
  /** Aborts the upload once it has an id, without which it could not be aborted on the service. */
  signal: AbortSignal
  onStarted: (upload: Started) => void
  /** Called when all content has arrived and waits for the studio's check. */
  onProcessing: (upload: Started) => void
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
): Promise<CompletedFile | CompletedAsset> {
  const { kind, ...started } = target
  const { key, isForced, ...given } = sending
  const { upload_id, signal } = given
  const isNew = upload_id === undefined
  const ended = new AbortController()
  let hasId = !isNew
  const end = () => {
    if (hasId) ended.abort()
  }
  signal.addEventListener('abort', end)
  const options = {
    ...given,
    signal: ended.signal,
    onStarted: (upload: Started) => {
      hasId = true
      sending.onStarted(upload)
      if (signal.aborted) end()
    },
  }
  if (target.kind === 'file') {
    if (!isNew) return client.upload(content, options)
    const file = { ...options, parent_id: target.folder_id, name }
    return client.upload(content, { ...file, idempotencyKey: key }).catch((error: unknown) => {
      if (!hasTooManyKeys(error)) throw error
      return client.upload(content, file)
    })
  }
  if (target.kind === 'content') {
    // The revision of the start is compared again at the completion, which a resumed upload changes only when it is forced.
    const { etag } = isNew || isForced ? await client.getFile({ id: target.file_id }) : {}
    const ifMatch = etag === undefined ? {} : { ifMatch: etag }
    return client.upload(content, { ...options, ...ifMatch, ...(isNew && { file_id: target.file_id }) })
  }
  return client.upload(content, {
    ...options,
    ...(isNew && started),
    ...(kind === 'asset' && { name }),
    upload_type: 'game_asset',
  })
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
