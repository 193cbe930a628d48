/** A typed client of the edge game storage service. */
import { type Download, downloader } from './download.ts'
import { Inbox, type InboxOptions } from './inbox/inbox.ts'
import { inboxService } from './inbox/service.ts'
import { type Operations, operationsOf } from './operations.ts'
import type { ClientOptions } from './options.ts'
import { Transport } from './transport.ts'
import { type Upload, uploader } from './upload/upload.ts'

export type { Downloadable, DownloadOptions } from './download.ts'
export { type ErrorCode, NetworkError, ServiceError } from './errors.ts'
export type { Inbox, InboxEvents, InboxOptions, InboxSnapshot } from './inbox/inbox.ts'
export type { Notification } from './inbox/messages.ts'
export type { PingOptions, WebSocketClass, WebSocketLike } from './inbox/socket.ts'
export { InboxError, type InboxErrorCode } from './inbox/steps.ts'
export type { InboxState } from './inbox/sync.ts'
export type { List } from './list.ts'
export type {
  ChangeOptions,
  ClientOptions,
  CreationOptions,
  RequestOptions,
  RetryOptions,
  SentContent,
} from './options.ts'
export type { components, operations, paths } from './schema.d.ts'
export type { TokenSource } from './token.ts'
export type { Content, SeekableContent } from './upload/content.ts'
export { StorageError } from './upload/put.ts'
export type {
  AssetUpload,
  CompletedAsset,
  CompletedFile,
  FileUpload,
  UploadProgress,
} from './upload/upload.ts'

/** A method for each operation of the service, named by its `operationId`, and what takes several requests. */
export interface Client extends Operations {
  /**
   * Uploads content: starts the upload, sends the content in one PUT or in parts, and completes it. With `upload_id`,
   * goes on with an upload that was cut, of the same content.
   *
   * @throws ServiceError, NetworkError; StorageError when storage refuses the content; the reason of `signal`
   */
  readonly upload: Upload
  /**
   * The content of a file or of a version of an asset, as a `Response` whose body has not been read.
   *
   * @throws ServiceError, NetworkError; StorageError when storage refuses; the reason of `signal`
   */
  readonly download: Download
  /**
   * Opens a live copy of the user's inbox: a list, the number for a badge, and events for each change. It connects, and
   * connects again, until it is closed.
   */
  inbox(options?: InboxOptions): Inbox
}

/** Makes a client of the service at `baseUrl`, for the user of the token. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options)
  const operations = operationsOf(transport)
  return {
    ...operations,
    upload: uploader(transport, operations),
    download: downloader(transport, operations),
    inbox: (options) => new Inbox(inboxService(transport), options),
  }
}
