/** A typed client of the edge game storage service: everything that a game does. */
import { type Assets, assetsWithContent } from './assets.ts'
import { type Files, filesWithContent } from './files.ts'
import type { AnyOwnTypes, OwnTypes } from './inbox/notification.ts'
import { type InboxRequests, inboxRequestsOf } from './inbox/requests.ts'
import { withoutMuted } from './mutes.ts'
import {
  type CatalogueOperations,
  type DecisionsOperations,
  decisionsOf,
  type FavoritesOperations,
  favoritesOf,
  type MutesOperations,
  type ProfilesOperations,
  profilesOf,
  type QuotaOperations,
  quotaOf,
  type ReportsOperations,
  reportsOf,
  type TrashOperations,
  trashOf,
  type UploadsOperations,
  uploadsOf,
} from './operations.ts'
import type { ClientOptions } from './options.ts'
import { Saves } from './saves/saves.ts'
import { type Shares, sharesWithContent } from './shares.ts'
import { Transport } from './transport.ts'
import { uploaderOf } from './upload/upload.ts'

export type { WithEtag } from './answers.ts'
export type { Preview, UploadedAsset } from './assets.ts'
export type { ByteArray, BytesSource } from './bytes.ts'
export type { DownloadOptions } from './download.ts'
export {
  type ClientErrorCode,
  ContentChangedError,
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
export type { SaveStore } from './saves/offline/store.ts'
export type { NewSave, Resolution, SaveContent, SaveDetails } from './saves/save.ts'
export type { SaveChangeOptions, Saves, SaveWriteOptions } from './saves/saves.ts'
export type { ReadSave } from './saves/service.ts'
export type { TokenSource } from './token.ts'
export type { Content, SeekableContent } from './upload/content.ts'
export type { AssetContent, FileContent, UploadOptions, UploadProgress } from './upload/options.ts'

/**
 * What a game does, by noun. In each method the first argument holds the API's members as the reference writes them (snake_case),
 * and the last one the client's own options (camelCase). `Types` are the notifications of the game's own.
 */
export interface Client<Types extends OwnTypes<Types> = AnyOwnTypes> {
  /** Files and folders, with their content. */
  readonly files: Files
  /** What was deleted, and can be restored. */
  readonly trash: TrashOperations
  /** The steps of an upload, one by one. `files.upload` and `assets.upload` take all of them. */
  readonly uploads: UploadsOperations
  /** Files that are shared with single users. */
  readonly shares: Shares
  /** Saves: small bytes in slots, with their history. A write replaces only what this client has read or written. */
  readonly saves: Saves
  /** The user's game assets: worlds, avatars and props, with their versions. */
  readonly assets: Assets
  /** The public assets of all users, without those of users whom the user has muted. */
  readonly catalogue: CatalogueOperations
  /** The assets that the user has marked. */
  readonly favorites: FavoritesOperations
  /** The users whom the user has muted. */
  readonly mutes: MutesOperations
  /** The pictures of users. */
  readonly profiles: ProfilesOperations
  /** The storage of the user. */
  readonly quota: QuotaOperations
  /** What the user has reported, and what became of it. */
  readonly reports: ReportsOperations
  /** What moderators decided about the user's things. */
  readonly decisions: DecisionsOperations
  /** The notifications of the user: a live copy, and single requests. */
  readonly inbox: InboxRequests<Types>
}

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
  const transport = new Transport(options)
  const upload = uploaderOf(transport)
  return {
    files: filesWithContent(transport, upload),
    trash: trashOf(transport),
    uploads: uploadsOf(transport),
    shares: sharesWithContent(transport),
    saves: new Saves(transport),
    assets: assetsWithContent(transport, upload),
    ...withoutMuted(transport),
    favorites: favoritesOf(transport),
    profiles: profilesOf(transport),
    quota: quotaOf(transport),
    reports: reportsOf(transport),
    decisions: decisionsOf(transport),
    inbox: inboxRequestsOf<Types>(transport),
  }
}
