import type { Client, CompletedAsset, CompletedFile, UploadProgress } from 'edge-game-storage-client'
import type { Target } from './target.ts'

interface Sending {
  /** An upload that was cut, to go on with. */
  upload_id: string | undefined
  signal: AbortSignal
  onStarted: (upload: Awaited<ReturnType<Client['startUpload']>>) => void
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
  const isNew = sending.upload_id === undefined
  if (target.kind === 'file')
    return client.upload(content, { ...sending, ...(isNew && { parent_id: target.folder_id, name }) })
  return client.upload(content, {
    ...sending,
    ...(isNew && started),
    ...(kind === 'asset' && { name }),
    upload_type: 'game_asset',
  })
}
