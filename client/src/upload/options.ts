import type { ChangeOptions, CreationOptions } from '../options.ts'
import type { CompletedUpload, StartAssetUpload, StartFileUpload, Upload } from '../records.ts'
import type { Content } from './content.ts'

interface Given {
  /** The content: bytes, a `Blob` or `File`, or an object whose pieces can be read repeatedly. */
  content: Content
  /** Default: the type of the content, or `application/octet-stream`. */
  mime_type?: string | undefined
}

type Derived = 'upload_type' | 'size_bytes' | 'mime_type'

/** The content of a new file, or with `file_id` new content of a file. The default name is that of the content. */
export interface FileContent extends Given, Omit<StartFileUpload, Derived> {}

/** The content of a new asset, or with `asset_id` of the next version of one. */
export interface AssetContent extends Given, Omit<StartAssetUpload, Derived> {}

/**
 * How much of the content has been sent. `sent_bytes` decreases when a part is sent again. `upload_id` is undefined when the
 * content goes in one request.
 */
export interface UploadProgress {
  upload_id?: string
  /** The bytes that have been sent so far. */
  sent_bytes: number
  /** The bytes of the content. */
  size_bytes: number
}

/** The options of an upload, whatever it is for. */
export interface UploadOptions extends CreationOptions, ChangeOptions {
  /** The interrupted upload to resume. Without it, a new upload is started. */
  uploadId?: string | undefined
  /**
   * Called with the upload before content is sent. Keep its `id`, to resume with, until the upload is complete. With
   * `onStarted`, small content also goes through an upload, unless a new file has an `idempotencyKey`: then it goes in one
   * request without this call, and the same call with the same key creates nothing twice.
   */
  onStarted?: ((upload: Upload) => void) | undefined
  /** Called with the upload when its content waits for the studio's check (docs/content-check.md). */
  onProcessing?: ((upload: CompletedUpload['upload']) => void) | undefined
  /**
   * Called with the progress. Up to 100 MiB go in one PUT, which reports as the runtime does: in Node at its end. Not called when a
   * resume finds everything sent.
   */
  onProgress?: ((progress: UploadProgress) => void) | undefined
  /** How many parts are sent at a time. Default: 4. */
  parallel?: number | undefined
}
