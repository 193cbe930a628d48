import { type DownloadOptions, download } from './download.ts'
import { type SharesOperations, sharesOf } from './operations.ts'
import type { Transport } from './transport.ts'

/** Files that are shared with single users. */
export interface Shares extends SharesOperations {
  /**
   * Downloads a file that is shared with the user. `id` is the share's. Returns a `Response` whose body has not been read.
   *
   * @throws ServiceError, NetworkError; StorageError when storage rejects the request; the reason of `signal`
   */
  download(given: { id: string }, options?: DownloadOptions): Promise<Response>
}

/** Shares with the content of their files. */
export function sharesWithContent(transport: Transport): Shares {
  const operations = sharesOf(transport)
  return {
    ...operations,
    download: ({ id }, options) =>
      download(transport, (options) => operations.getUrl({ id }, options), options),
  }
}
