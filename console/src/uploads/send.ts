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
  /** An upload that was cut, to go on with. */
  upload_id: string | undefined
  /** Ends it, but not before it has an id: what the service has reserved for it could not be given up otherwise. */
  signal: AbortSignal
  onStarted: (upload: Started) => void
  /** Told when everything has arrived, and is checked before it is ready. */
  onProcessing: (upload: Started) => void
  onProgress: (progress: UploadProgress) => void
}

/** Uploads content, or goes on with it. A new asset may have another name than at the start. */
export function send(
  client: Client,
  content: SeekableContent,
  name: string,
  target: Target,
  sending: Sending,
): Promise<CompletedFile | CompletedAsset> {
  const { kind, ...started } = target
  const { upload_id, signal } = sending
  const isNew = upload_id === undefined
  const ended = new AbortController()
  let hasId = !isNew
  const end = () => {
    if (hasId) ended.abort()
  }
  signal.addEventListener('abort', end)
  const options = {
    ...sending,
    signal: ended.signal,
    onStarted: (upload: Started) => {
      hasId = true
      sending.onStarted(upload)
      if (signal.aborted) end()
    },
  }
  if (target.kind === 'file')
    return client.upload(content, { ...options, ...(isNew && { parent_id: target.folder_id, name }) })
  return client.upload(content, {
    ...options,
    ...(isNew && started),
    ...(kind === 'asset' && { name }),
    upload_type: 'game_asset',
  })
}

/** Whether the studio's checker has rejected the content. */
export function isRejected(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'UPLOAD_REJECTED'
}

/** Whether the service takes no more content for an upload. */
export function hasEnded(error: unknown): boolean {
  return (
    isGone(error) ||
    (error instanceof ServiceError && ['UPLOAD_MISMATCH', 'UPLOAD_REJECTED'].includes(error.code))
  )
}

/** Throws an error again, unless it says that the service no longer has the upload. */
export function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error
}

function isGone(error: unknown): boolean {
  return error instanceof ServiceError && ['UPLOAD_NOT_FOUND', 'UPLOAD_EXPIRED'].includes(error.code)
}
