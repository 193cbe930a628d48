import { contentRequestsOf } from './content.ts'
import { type DownloadOptions, download } from './download.ts'
import { ServiceError } from './errors.ts'
import { type FilesOperations, filesOf } from './operations.ts'
import type { FileRecord } from './records.ts'
import type { Transport } from './transport.ts'
import { ONE_REQUEST_BYTES } from './upload/one-request.ts'
import type { FileContent, UploadOptions } from './upload/options.ts'
import type { Uploader } from './upload/upload.ts'

/** Files and folders. */
export interface Files extends FilesOperations {
  /**
   * Uploads a new file, or with `file_id` new content of a file: in one request when it is small, or else straight to storage, in
   * one PUT or in parts. With the option `uploadId`, resumes an interrupted upload of the same content. The default name is that of
   * the content.
   *
   * @example
   * const file = await client.files.upload({ content: blob, name: 'level-1.bin', parent_id: folder.id })
   *
   * @throws ServiceError, NetworkError; StorageError when storage rejects the content; the reason of `signal`
   */
  upload(given: FileContent, options?: UploadOptions): Promise<FileRecord>
  /**
   * Downloads a file. Returns a `Response` whose body has not been read. With the file's `size_bytes`, which is in its record,
   * small content comes in one request, in place of two.
   *
   * @example
   * const text = await (await client.files.download(file)).text()
   *
   * @throws ServiceError, NetworkError; StorageError when storage rejects the request; the reason of `signal`
   */
  download(
    given: {
      id: string
      /** The size in the file's record, in bytes. */
      size_bytes?: number | undefined
    },
    options?: DownloadOptions,
  ): Promise<Response>
}

/** Files with their content. */
export function filesWithContent(transport: Transport, upload: Uploader): Files {
  const operations = filesOf(transport)
  const content = contentRequestsOf(transport)
  return {
    ...operations,
    upload: async (given, options) => (await upload({ ...given, upload_type: 'file' }, options)).file,
    async download({ id, size_bytes = Number.POSITIVE_INFINITY }, options = {}) {
      const { signal, range } = options
      if (!range && size_bytes <= ONE_REQUEST_BYTES)
        try {
          return await content.read(id, { signal })
        } catch (error) {
          // The file has grown since, the deployment has a lower limit, or its service is older than the operation.
          const isTooLarge =
            error instanceof ServiceError && ['CONTENT_TOO_LARGE', 'NOT_FOUND'].includes(error.code)
          if (!isTooLarge) throw error
        }
      return download(transport, (options) => operations.getUrl({ id }, options), options)
    },
  }
}
