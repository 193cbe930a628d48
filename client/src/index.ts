/** A typed client of the edge game storage service: everything that a game does. */
import { type Client, clientOf } from './client.ts'
import type { AnyOwnTypes, OwnTypes } from './inbox/notification.ts'
import type { ClientOptions } from './options.ts'
import { Transport } from './transport.ts'

export type { WithEtag } from './answers.ts'
export type { Preview, UploadedAsset } from './assets.ts'
export type { ByteArray, BytesSource } from './bytes.ts'
export type { Client } from './client.ts'
export type { DownloadOptions } from './download.ts'
export {
  type ClientErrorCode,
  ContentChangedError,
  ContentDamagedError,
  type ErrorCode,
  EtagStrippedError,
  GameStorageError,
  InboxError,
  type InboxErrorCode,
  NetworkError,
  ServiceError,
  StorageError,
} from './errors.ts'
export type { Inbox, InboxEvents, InboxOptions, InboxSnapshot } from './inbox/inbox.ts'
export type { AnyOwnTypes, Notification, OwnTypes } from './inbox/notification.ts'
export type { PingOptions, WebSocketClass, WebSocketLike } from './inbox/socket.ts'
export type { InboxState } from './inbox/sync.ts'
export type { InstalledAsset, InstalledContent } from './installed/content.ts'
export type { InstalledVersion } from './installed/store.ts'
export type { UpdateOptions, UpdateProgress, UpdateResult } from './installed/update.ts'
export type { List } from './list.ts'
export type {
  ChangeOptions,
  ClientOptions,
  CreationOptions,
  RequestOptions,
  RetryOptions,
  SentContent,
} from './options.ts'
export type * from './records.ts'
export { SaveConflict, WriteConflict } from './saves/conflict.ts'
export { indexedDbStore } from './saves/offline/indexed-db.ts'
export type {
  OfflineEvents,
  OfflineOptions,
  OfflineSave,
  OfflineSaves,
} from './saves/offline/offline-saves.ts'
export type { RefusedSave } from './saves/offline/sender.ts'
export type { SaveStore } from './saves/offline/store.ts'
export {
  isReadOnlySlot,
  type NewSave,
  type Resolution,
  type SaveContent,
  type SaveDetails,
} from './saves/save.ts'
export type { SaveChangeOptions, Saves, SaveWriteOptions } from './saves/saves.ts'
export type { ReadSave } from './saves/service.ts'
export type { TokenSource } from './token.ts'
export type { Content, SeekableContent } from './upload/content.ts'
export type { AssetContent, FileContent, UploadOptions, UploadProgress } from './upload/options.ts'

/**
 * Makes a client of the service at `baseUrl`, for the user of the token.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://storage.example.com', token: ({ renew }) => session.token({ renew }) })
 * for await (const { name } of client.files.list()) console.log(name)
 *
 * @example
 * interface Types { 'shop.gift': { gift_id: string } }
 * const client = createClient<Types>({ baseUrl, token })
 * client.inbox.open().on('notification', ({ type, data }) => type === 'shop.gift' && open(data.gift_id))
 *
 * @throws TypeError when `baseUrl` is missing, is no http(s) URL, or ends in `/v1`; when `token` is missing
 */
export function createClient<Types extends OwnTypes<Types> = AnyOwnTypes>(
  options: ClientOptions,
): Client<Types> {
  return clientOf<Types>(new Transport(options))
}
