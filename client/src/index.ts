/** A typed client of the edge game storage service. */
import { type Catalogue, catalogueOf } from './catalogue.ts'
import { type ContentOperations, contentOperationsOf } from './content.ts'
import { type Download, downloader } from './download.ts'
import { Inbox, type InboxOptions } from './inbox/inbox.ts'
import type { AnyOwnTypes, OwnTypes } from './inbox/notification.ts'
import { inboxService } from './inbox/service.ts'
import { type NotificationOperations, notificationOperationsOf } from './notifications.ts'
import { type Operations, operationsOf } from './operations.ts'
import type { ClientOptions } from './options.ts'
import { Saves } from './saves/saves.ts'
import { Transport } from './transport.ts'
import type { Upload } from './upload/options.ts'
import { uploader } from './upload/upload.ts'

export type { BytesSource } from './bytes.ts'
export type { Catalogue, CatalogueQuery, GameAssetSummary } from './catalogue.ts'
export type { Downloadable, DownloadOptions } from './download.ts'
export {
  ContentChangedError,
  type ErrorCode,
  EtagStrippedError,
  NetworkError,
  ServiceError,
} from './errors.ts'
export type { Inbox, InboxEvents, InboxOptions, InboxSnapshot } from './inbox/inbox.ts'
export type {
  Announcement,
  AnyOwnTypes,
  BatchPublication,
  NewAnnouncement,
  Notification,
  OwnTypes,
  Publication,
} from './inbox/notification.ts'
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
export { SaveConflict } from './saves/conflict.ts'
export { indexedDbStore } from './saves/offline/indexed-db.ts'
export type {
  OfflineEvents,
  OfflineOptions,
  OfflineSave,
  OfflineSaves,
  OfflineWriteOptions,
} from './saves/offline/offline-saves.ts'
export type { SaveStore } from './saves/offline/store.ts'
export type { SaveContent, SaveDetails } from './saves/save.ts'
export type { SaveChangeOptions, Saves, SaveWriteOptions } from './saves/saves.ts'
export type { ReadSave, Save } from './saves/service.ts'
export type { components, operations, paths } from './schema.d.ts'
export type { TokenSource } from './token.ts'
export type { Content, SeekableContent } from './upload/content.ts'
export type {
  AssetUpload,
  CompletedAsset,
  CompletedFile,
  FileUpload,
  UploadProgress,
} from './upload/options.ts'
export { StorageError } from './upload/put.ts'

/**
 * A method for each operation of the service, named by its `operationId`; and `upload`, `download`, `inbox` and `saves`. `Types`
 * are the notifications of the game's own.
 */
export interface Client<Types extends OwnTypes<Types> = AnyOwnTypes>
  extends Operations,
    ContentOperations,
    NotificationOperations<Types> {
  /**
   * Uploads content: in one request when it is small, or else starts an upload, sends the content in one PUT or in parts, and
   * completes it. With `upload_id`, resumes an interrupted upload of the same content.
   *
   * @example
   * const { file } = await client.upload(blob, { name: 'level-1.bin', parent_id: folder.id })
   *
   * @throws ServiceError, NetworkError; StorageError when storage rejects the content; the reason of `signal`
   */
  readonly upload: Upload
  /**
   * Downloads a file or a version of an asset. Returns a `Response` whose body has not been read.
   *
   * @example
   * const bytes = await (await client.download({ file_id })).arrayBuffer()
   *
   * @throws ServiceError, NetworkError; StorageError when storage rejects the request; the reason of `signal`
   */
  readonly download: Download
  /**
   * Opens a live copy of the user's inbox: a list, the unread count, and an event for each change. The inbox reconnects by
   * itself until it is closed.
   *
   * @example
   * const inbox = client.inbox()
   * inbox.on('change', ({ notifications, unread }) => show(notifications, unread))
   */
  inbox(options?: InboxOptions): Inbox<Types>
  /**
   * The public assets: by type, tags, owner and name, the newest, the last updated or the most popular first.
   *
   * @example
   * for await (const asset of client.catalogue({ tags: ['horror'], sort: 'popular' })) show(asset.name, asset.preview_url)
   *
   * @throws ServiceError, NetworkError
   */
  readonly catalogue: Catalogue
  /**
   * The saves of the user: small bytes in slots, with their history. A write replaces only what this client has read or written.
   *
   * @example
   * await client.saves.write('auto', bytes, { label: 'The harbour' })
   * const { bytes, label } = await client.saves.read('auto')
   */
  readonly saves: Saves
}

/**
 * Makes a client of the service at `baseUrl`, for the user of the token.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://storage.example.com', token: ({ renew }) => session.token({ renew }) })
 * for await (const { name } of client.listFiles()) console.log(name)
 *
 * @example
 * interface Types { 'shop.gift': { gift_id: string } }
 * const client = createClient<Types>({ baseUrl, token })
 * client.inbox().on('notification', ({ type, data }) => type === 'shop.gift' && open(data.gift_id))
 *
 * @throws TypeError when `baseUrl` is missing, is no http(s) URL, or ends in `/v1`; when `token` is missing
 */
export function createClient<Types extends OwnTypes<Types> = AnyOwnTypes>(
  options: ClientOptions,
): Client<Types> {
  const transport = new Transport(options)
  const operations = { ...operationsOf(transport), ...contentOperationsOf(transport) }
  return {
    ...operations,
    ...notificationOperationsOf<Types>(transport),
    upload: uploader(transport, operations),
    download: downloader(transport, operations),
    inbox: (options) => new Inbox(inboxService<Types>(transport), options),
    catalogue: catalogueOf(operations),
    saves: new Saves(transport, operations),
  }
}
