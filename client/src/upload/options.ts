import type { Arguments } from '../arguments.ts'
import type { Operations } from '../operations.ts'
import type { ChangeOptions, CreationOptions } from '../options.ts'
import type { Content } from './content.ts'

/** The body of a request that starts an upload. */
export type Start = Arguments<'startUpload'>
type Derived = 'upload_type' | 'size_bytes' | 'mime_type'
/** An upload as its start answers it. */
export type Started = Awaited<ReturnType<Operations['startUpload']>>
/** What the completion of an upload answers. */
export type Completed = Awaited<ReturnType<Operations['completeUpload']>>

type CompletedUploadOfFile = Extract<Completed, { file: unknown }>

/** A file whose content has arrived. `upload` is undefined when the content went in one request. */
export type CompletedFile = Pick<CompletedUploadOfFile, 'file'> & Partial<CompletedUploadOfFile>
/** A completed upload of a version of a game asset. */
export type CompletedAsset = Extract<Completed, { asset: unknown }>

/**
 * How much of the content has been sent. `sent_bytes` decreases when a part is sent again. `upload_id` is undefined when the
 * content goes in one request.
 */
export interface UploadProgress {
  upload_id?: string
  sent_bytes: number
  size_bytes: number
}

/** The options of an upload, whatever it is for. */
export interface Sending extends CreationOptions, ChangeOptions {
  /** The interrupted upload to resume. Without it, a new upload is started. */
  upload_id?: string | undefined
  /**
   * Called with the upload before content is sent. Keep its `id`, to resume with, until the upload is complete. With
   * `onStarted`, small content also goes through an upload, unless a new file has an `idempotencyKey`: then it goes in one
   * request without this call, and the same call with the same key creates nothing twice.
   */
  onStarted?: ((upload: Started) => void) | undefined
  /** Called with the upload when its content waits for the studio's check (docs/content-check.md). */
  onProcessing?: ((upload: Completed['upload']) => void) | undefined
  /** Called with the progress, at least once. */
  onProgress?: ((progress: UploadProgress) => void) | undefined
  /** How many parts are sent at a time. Default: 4. */
  parallel?: number | undefined
  /** Default: the type of the content, or `application/octet-stream`. */
  mime_type?: string | undefined
}

/** Options for a new file, or with `file_id` for new content of a file. The default name is that of the content. */
export type FileUpload = Sending &
  Omit<Extract<Start, { upload_type: 'file' }>, Derived> & { upload_type?: 'file' }

/** Options for a new asset, or with `asset_id` for a new version of an asset. */
export type AssetUpload = Sending &
  Omit<Extract<Start, { upload_type: 'game_asset' }>, Derived> & { upload_type: 'game_asset' }

/** The type of `client.upload`. */
export interface Upload {
  (content: Content, options: AssetUpload): Promise<CompletedAsset>
  (content: Content, options?: FileUpload): Promise<CompletedFile>
}
