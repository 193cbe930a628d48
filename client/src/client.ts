/** What a client of a user does, over a transport. */
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
import { Saves } from './saves/saves.ts'
import { type Shares, sharesWithContent } from './shares.ts'
import type { Transport } from './transport.ts'
import { uploaderOf } from './upload/upload.ts'

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

/** The client of the user for whom a transport sends requests. */
export function clientOf<Types extends OwnTypes<Types>>(transport: Transport): Client<Types> {
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
