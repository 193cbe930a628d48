import {
  type Client,
  type CompletedAsset,
  type CompletedFile,
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
  content: File,
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

/** The pauses between two questions for a verdict, in milliseconds: the first, and the longest. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000

/**
 * Completes an upload whose content has arrived, once its check is over. A new asset may have another name than at the
 * start.
 *
 * @throws ServiceError UPLOAD_REJECTED with the reason, and the others of a completion
 */
export async function complete(
  client: Client,
  id: string,
  name: string,
  { kind }: Target,
  signal: AbortSignal,
): Promise<CompletedFile | CompletedAsset> {
  const named = kind === 'asset' ? { name } : {}
  for (;;) {
    const answer = await client.completeUpload({ id, ...named }, { signal })
    if ('asset' in answer) return answer
    const { upload, file } = answer
    if (file && upload.state === 'completed') return { upload, file }
    await verdictOn(client, id, signal)
  }
}

/** Resolves when an upload is not being checked any more. */
async function verdictOn(client: Client, id: string, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    await paused(pause, signal)
    const upload = await client.getUpload({ id }, { signal })
    if (!('processing_state' in upload) || upload.processing_state !== 'processing') return
  }
}

function paused(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
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
