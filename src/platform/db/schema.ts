import { sql } from 'drizzle-orm'
// Not from `sqlite-core` itself, which would bundle the query builders too.
import { integer } from 'drizzle-orm/sqlite-core/columns/integer'
import { text } from 'drizzle-orm/sqlite-core/columns/text'
import { primaryKey } from 'drizzle-orm/sqlite-core/primary-keys'
import { sqliteTable } from 'drizzle-orm/sqlite-core/table'
import type { ErrorCode } from '../errors.ts'
import {
  appealStates,
  appellants,
  assetTypes,
  blockedKinds,
  caseStates,
  checkStates,
  decisionActions,
  decisionGrounds,
  gameAssetTypes,
  moveRoles,
  newerSaves,
  partitionStates,
  permissions,
  processingStates,
  ratings,
  reportCategories,
  targetTypes,
  uploadStates,
  uploadTypes,
  visibilities,
} from './enumerations.ts'

/*
 * The one source of row types, column lists and column names; enumerations.ts has the values of columns with few values.
 * `migrations/` creates these tables; a test compares the two column by column. CHECKs, indexes and triggers are in the migrations only.
 *
 * Timestamps are Unix seconds, except where a comment says milliseconds. Sizes are bytes.
 */

/** SQLite has no booleans: STRICT tables keep 0 and 1. */
const bool = () => integer().$type<0 | 1>().notNull().default(0)
const count = () => integer().notNull().default(0)

/** One row a user: what they use, and the limits that triggers hold. Only triggers change the counters. */
export const usage = sqliteTable('usage', {
  user_id: text().notNull().primaryKey(),
  /** The user's partition: three hexadecimal digits. */
  partition: text().notNull(),
  used_bytes: count(),
  /** null: the default */
  limit_bytes: integer(),
  default_limit_bytes: integer().notNull(),
  items: count(),
  max_items: integer().notNull(),
  assets: count(),
  max_assets: integer().notNull(),
  public_assets: count(),
  max_public_assets: integer().notNull(),
  versions: count(),
  max_versions: integer().notNull(),
  open_uploads: count(),
  writable_keys: count(),
  max_open_uploads: integer().notNull(),
  ended_uploads: count(),
  max_ended_uploads: integer().notNull(),
  idempotency_keys: count(),
  max_idempotency_keys: integer().notNull(),
  favorites: count(),
  max_favorites: integer().notNull().default(1_000),
  mutes: count(),
  max_mutes: integer().notNull().default(1_000),
  /** The bytes of content that waits out its grace. The quota is a limit for them, too. */
  kept_bytes: count(),
  /** Set while the mover copies the user's rows or removes them: triggers then count nothing. */
  moving: bool(),
  /** The bytes of each kind of content, as a JSON object; open uploads have the rest. null: not counted yet. */
  parts: text(),
})

export const files = sqliteTable('files', {
  id: text().notNull().primaryKey(),
  owner_id: text().notNull(),
  /** null: root level */
  parent_id: text(),
  name: text().notNull(),
  asset_type: text({ enum: assetTypes }).notNull(),
  size_bytes: integer().notNull(),
  mime_type: text(),
  processing_state: text({ enum: processingStates }),
  /** The content in R2; null until an upload has been completed. */
  object_key: text(),
  /** Counted in the owner's quota: the size of ready content, else 0. */
  charged_bytes: integer().notNull().generatedAlwaysAs(sql`iif(processing_state IS 'ready', size_bytes, 0)`),
  is_public: bool(),
  blocked: bool(),
  revision: integer().notNull().default(1),
  share_count: count(),
  expired_share_count: count(),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  /** Milliseconds; set on the item that was deleted, never on the items below it. */
  trashed_at: integer(),
  purging: bool(),
})

export const uploads = sqliteTable('uploads', {
  /** Also the key of its object in R2. */
  id: text().notNull().primaryKey(),
  owner_id: text().notNull(),
  upload_type: text({ enum: uploadTypes }).notNull(),
  state: text({ enum: uploadStates }).notNull().default('open'),
  size_bytes: integer().notNull(),
  mime_type: text().notNull(),
  /** base64 */
  checksum_sha256: text(),
  multipart_id: text(),
  part_size: integer(),
  /** A JSON object from part number to ETag. */
  parts: text().notNull().default('{}'),
  /** A JSON object from part number to its ETag and the SHA-256 (base64) of what was sent for that ETag. */
  part_checksums: text().notNull().default('{}'),
  file_id: text(),
  /** Whether the file was there before. */
  replaces: bool(),
  /** The revisions of the file that the client wants to replace, as a JSON array; null: any. */
  expected_revisions: text(),
  asset_id: text(),
  asset_type: text({ enum: gameAssetTypes }),
  name: text(),
  visibility: text({ enum: visibilities }),
  /** Of the version of an asset. */
  notes: text(),
  /** Of a new asset: its page as JSON. */
  page: text(),
  /** null: no checker has to look at the content, or it has not arrived yet */
  check_state: text({ enum: checkStates }),
  check_began_at: integer(),
  /** How many times the checker has been asked. */
  check_attempts: count(),
  /** When the checker is asked again; null: it is not */
  check_next_at: integer(),
  completion_id: text(),
  failure_code: text().$type<ErrorCode>(),
  failure: text(),
  created_at: integer().notNull(),
  expires_at: integer().notNull(),
  /** Seconds that a signed URL of this upload lives. */
  url_ttl: integer().notNull(),
  /** Of the version of an asset. */
  min_build: integer(),
  max_build: integer(),
  /** Of the content of a version or a variant; null: for all. */
  platform: text(),
  /** Of a variant: the version that it is added to. */
  version: integer(),
})

/** Objects in R2 whose last row is gone. */
export const garbage = sqliteTable('garbage', {
  object_key: text().notNull().primaryKey(),
  multipart_id: text(),
  /** A signed URL may still create the object until then. */
  writable_until: integer().notNull(),
  enqueued_at: integer(),
  /** Set while it counts in `usage.writable_keys`. */
  owner_id: text(),
  is_orphan: bool(),
  /** Whether it is the content of an asset's version, which branches in other databases may share. */
  is_version: bool(),
  /** Set when no version and no marker refers to the content any more: no new version may from then on. */
  deleting: bool(),
  /** Purged content stays until then (CONTENT_GRACE_DAYS). Null: it does not stay. */
  kept_until: integer(),
  /** The user whose content stays: the user's erasure ends it. */
  kept_for: text(),
  /** The bytes that it adds to `usage.kept_bytes` while `kept_for` is set. */
  kept_bytes: count(),
  /** Its `next_at` without grace: a trigger takes the grace from content beyond the limit. */
  free_at: integer().notNull().default(0),
  next_at: integer().notNull().default(0),
})

export const idempotency = sqliteTable(
  'idempotency',
  {
    caller_id: text().notNull(),
    key: text().notNull(),
    request_hash: text().notNull(),
    made_id: text().notNull(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.caller_id, table.key] })],
)

export const shares = sqliteTable('shares', {
  id: text().notNull().primaryKey(),
  file_id: text().notNull(),
  /** The file's owner. */
  owner_id: text().notNull(),
  grantee_id: text().notNull(),
  permission: text({ enum: permissions }).notNull(),
  /** null: never */
  expires_at: integer(),
  /** Set by the job some time after `expires_at`. Rules look at `expires_at` only. */
  expired: bool(),
  created_at: integer().notNull(),
})

/** New shares whose grantee has not been notified yet. */
export const sharesToNotify = sqliteTable(
  'shares_to_notify',
  {
    /** When the job takes it, in Unix seconds. */
    due_at: integer().notNull(),
    share_id: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.due_at, table.share_id] })],
)

export const gameAssets = sqliteTable('game_assets', {
  id: text().notNull().primaryKey(),
  owner_id: text().notNull(),
  type: text({ enum: gameAssetTypes }).notNull(),
  name: text().notNull(),
  /** The name as search compares it. */
  search_name: text().notNull(),
  visibility: text({ enum: visibilities }).notNull(),
  /** 0: the owner keeps it out of the catalogue. */
  listed: integer().$type<0 | 1>().notNull().default(1),
  blocked: bool(),
  current_version: count(),
  /** How many versions were deleted alone. */
  deleted_versions: count(),
  /** May outlive the asset that it names. */
  branched_from_asset_id: text(),
  description: text().notNull().default(''),
  /** A JSON array. */
  tags: text().notNull().default('[]'),
  /** A JSON object of the game's own. */
  metadata: text().notNull().default('{}'),
  /** The preview in R2, and its bytes in the owner's quota. */
  preview_key: text(),
  preview_bytes: count(),
  /** The MIME type of the preview. */
  preview_type: text(),
  /** Of the preview, in pixels. */
  preview_width: integer(),
  preview_height: integer(),
  /** As of the last recount. */
  favorites: count(),
  /** How often `favorites` was recounted. */
  recounts: count(),
  revision: integer().notNull().default(1),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  /** When it was last published, which a day of being private has to precede. null: never */
  public_since: integer(),
  /** When it last became private; null: it was never public. */
  private_since: integer(),
  /** The same; null while it is private. */
  published_at: integer().generatedAlwaysAs(
    sql`iif(visibility = 'public', coalesce(public_since, created_at), NULL)`,
  ),
  /** Milliseconds. */
  deleted_at: integer(),
  purging: bool(),
  /** While it is being purged: until when its content stays. */
  kept_until: integer(),
  /** Whether others may see it: public, not blocked and not deleted. `listed` is the owner's choice. */
  is_listed: integer()
    .$type<0 | 1>()
    .notNull()
    .generatedAlwaysAs(sql`visibility = 'public' AND blocked = 0 AND deleted_at IS NULL`),
  /** For whom it is; null: nobody has said. */
  rating: text({ enum: ratings }),
  /** The level below which its owner can't rate it; null: none. */
  rating_locked: text({ enum: ratings }),
  /** A moderator keeps it out of the catalogue. */
  unlisted: bool(),
  /** Whether the catalogue shows it, unless its owner has been erased. */
  is_in_catalogue: integer()
    .$type<0 | 1>()
    .notNull()
    .generatedAlwaysAs(
      sql`visibility = 'public' AND blocked = 0 AND deleted_at IS NULL AND listed = 1 AND unlisted = 0`,
    ),
  /** The version of the channel `live`; null: there is none. Triggers keep it. */
  live_version: integer(),
  /** What others than the owner get (src/features/assets/served.ts). */
  served_version: integer().notNull().generatedAlwaysAs(sql`coalesce(live_version, current_version)`),
  /** How many revisions are changes that others did not see. Never falls. */
  unseen_changes: count(),
  /** The time of the last change that others did not see. */
  unseen_updated_at: integer(),
  /** The highest version that others have been served, as of the last change of `live`. Triggers keep it. */
  released_version: count(),
})

export const assetVersions = sqliteTable(
  'asset_versions',
  {
    asset_id: text().notNull(),
    version: integer().notNull(),
    id: text().notNull(),
    size_bytes: integer().notNull(),
    mime_type: text().notNull(),
    /** The content in R2, shared with branches and rollbacks. */
    object_key: text().notNull(),
    /** base64; null: the upload declared none */
    checksum_sha256: text(),
    notes: text(),
    branched_from_asset_id: text(),
    branched_from_version: integer(),
    created_at: integer().notNull(),
    /** The builds of the game that can read it; null: no bound. */
    min_build: integer(),
    max_build: integer(),
    /** Of the version's own content; null: for all. */
    platform: text(),
    /** The platforms of deleted variants, as a JSON array. */
    deleted_platforms: text().notNull().default('[]'),
  },
  (table) => [primaryKey({ columns: [table.asset_id, table.version] })],
)

/** The contents of versions for further platforms. */
export const assetVariants = sqliteTable(
  'asset_variants',
  {
    asset_id: text().notNull(),
    version: integer().notNull(),
    platform: text().notNull(),
    size_bytes: integer().notNull(),
    mime_type: text().notNull(),
    /** The content in R2, shared with the same variant of branches and rollbacks. */
    object_key: text().notNull(),
    /** base64; null: the upload declared none */
    checksum_sha256: text(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.asset_id, table.version, table.platform] })],
)

/** The channels of assets. Triggers keep what the assets have of them. */
export const assetChannels = sqliteTable(
  'asset_channels',
  {
    asset_id: text().notNull(),
    channel: text().notNull(),
    version: integer().notNull(),
    /** What testers name; null: of `live`, which everybody gets. */
    key: text(),
    updated_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.asset_id, table.channel] })],
)

/** Assets whose entry in the catalogue has to be rewritten. */
export const catalogueMarks = sqliteTable('catalogue_marks', {
  asset_id: text().notNull().primaryKey(),
  /** Another random value each time it is set. */
  mark: text().notNull(),
})

/** The entries that pages of the catalogue show. In the catalogue's database only. */
export const catalogueEntries = sqliteTable('catalogue_entries', {
  number: integer().primaryKey(),
  id: text().notNull(),
  revision: integer().notNull(),
  recounts: integer().notNull(),
  owner_id: text().notNull(),
  type: text({ enum: gameAssetTypes }).notNull(),
  name: text().notNull(),
  search_name: text().notNull(),
  /** A JSON array. */
  tags: text().notNull(),
  preview_key: text(),
  preview_width: integer(),
  preview_height: integer(),
  current_version: integer().notNull(),
  created_at: integer().notNull(),
  published_at: integer().notNull(),
  updated_at: integer().notNull(),
  favorites: integer().notNull(),
  popularity: integer()
    .notNull()
    .generatedAlwaysAs(sql`CAST(16 * log2(1 + favorites) AS INTEGER)`, { mode: 'stored' }),
  /** The facets by which pages filter, with a space before and behind: ` :world #horror @HEX `. */
  facets: text().notNull(),
  initials: text().notNull(),
  /** One of 4,096 numbers. */
  chance: integer().notNull().default(sql`random() & 4095`),
  /** `:stop ` in one entry of 4,096, otherwise empty. */
  stop: text().notNull().generatedAlwaysAs(sql`iif(chance = 0 AND number >= 4096, ':stop ', '')`),
  /** null: pages show it */
  removed_at: integer(),
  rating: text({ enum: ratings }),
})

/** Owners whose erasure is under way: pages show nothing that they made by `until`. In the catalogue's database only. */
export const catalogueHiddenOwners = sqliteTable('catalogue_hidden_owners', {
  owner_id: text().notNull().primaryKey(),
  until: integer().notNull(),
  hidden_at: integer().notNull(),
})

/** The assets that users like. */
export const favorites = sqliteTable(
  'favorites',
  {
    user_id: text().notNull(),
    /** May outlive the asset. */
    asset_id: text().notNull(),
    /** Sorts by the time of adding. */
    id: text().notNull(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.asset_id, table.user_id] })],
)

/** How many users of this database like an asset. */
export const favoriteCounts = sqliteTable('favorite_counts', {
  asset_id: text().notNull().primaryKey(),
  users: integer().notNull(),
})

/** Assets whose number in `favorite_counts` has changed. */
export const favoriteRecounts = sqliteTable('favorite_recounts', {
  asset_id: text().notNull().primaryKey(),
  /** Another random value each time it is set. */
  mark: text().notNull(),
  due_at: integer().notNull(),
})

/** The users whom users have muted. */
export const mutes = sqliteTable(
  'mutes',
  {
    user_id: text().notNull(),
    /** Need not exist. */
    muted_id: text().notNull(),
    /** Sorts by the time of muting. */
    id: text().notNull(),
    created_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.muted_id] })],
)

/** The versions of users' mutes, of which their inboxes have copies. */
export const muteLists = sqliteTable('mute_lists', {
  user_id: text().notNull().primaryKey(),
  /** An id, which sorts by the time of the change. It never decreases. */
  version: text().notNull(),
  changed_at: integer().notNull(),
  /** When the job copies the mutes to the inbox, in Unix seconds; null: the inbox has this version. */
  due_at: integer(),
})

/** The large content of assets, which triggers keep: each under the newest version of its asset that has it. */
export const largeVersions = sqliteTable(
  'large_versions',
  {
    owner_id: text().notNull(),
    size_bytes: integer().notNull(),
    asset_id: text().notNull(),
    object_key: text().notNull(),
    version: integer().notNull(),
    version_id: text().notNull(),
    /** Of a variant; null: the version's own content. */
    platform: text(),
  },
  (table) => [primaryKey({ columns: [table.owner_id, table.size_bytes, table.asset_id, table.object_key] })],
)

/** The watermarks of erasures: everything that a user made by `until` has been erased. */
export const erasures = sqliteTable('erasures', {
  user_id: text().notNull().primaryKey(),
  until: integer().notNull(),
  mark: text().notNull(),
  /** 1: the user's own data are in another database; only what was shared with the user is to be removed from here. */
  is_guest: bool(),
  /** 1: the inbox and the saves of the user have been emptied. */
  inbox_erased: bool(),
  /** The last database whose blocks no longer name the user as their moderator; null: none has been asked. */
  asked: text(),
  next_at: integer().notNull().default(0),
})

/** Everything in an owner's trash that was deleted by `emptied_at` (milliseconds) is being deleted permanently. */
export const trashEmptied = sqliteTable('trash_emptied', {
  owner_id: text().notNull().primaryKey(),
  emptied_at: integer().notNull(),
})

/** Who blocked a file, a folder or an asset, when and why. Triggers keep a row while the item's column `blocked` is set. */
export const blocks = sqliteTable(
  'blocks',
  {
    kind: text({ enum: blockedKinds }).notNull(),
    id: text().notNull(),
    blocked_at: integer().notNull(),
    /** The moderator; null when the block came along with a move or a branch. */
    blocked_by: text(),
    reason: text(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)

/** Events that have not been delivered yet (src/operators/events). */
export const outbox = sqliteTable('outbox', {
  /** The webhook-id. */
  id: text().notNull().primaryKey(),
  /** A name of src/platform/config/event-names.ts. */
  type: text().notNull(),
  /** Whom the event is about; '' for nobody. */
  owner_id: text().generatedAlwaysAs(sql`coalesce(data ->> 'owner_id', data ->> 'user_id', '')`, {
    mode: 'virtual',
  }),
  /** The resource that the event is about: its events are delivered one after the other, in the order of `seq`. */
  resource_id: text().notNull(),
  seq: integer().notNull(),
  /** A JSON object (src/platform/events/types.ts). */
  data: text().notNull(),
  created_at: integer().notNull(),
  /** Deliveries that have begun. */
  attempts: count(),
  /** When the next delivery may begin, in Unix seconds; during one, when it counts as lost. Below 1e9: a turn, which is due. */
  next_at: integer().notNull(),
  /** Set when delivery was given up. */
  parked_at: integer(),
  last_error: text(),
  /** When the last delivery failed. */
  last_failed_at: integer(),
})

/** How many events the outbox has, of all owners (`''`) and of each who has many. Triggers keep them. */
export const outboxCounts = sqliteTable('outbox_counts', {
  owner_id: text().notNull().primaryKey(),
  events: integer().notNull(),
  /** Of `''`: the events that were dropped and of which no `events.dropped` was written yet. */
  dropped: count(),
  dropped_from: integer(),
  dropped_until: integer(),
})

/** The position from which a task of the job continues. */
export const progress = sqliteTable('progress', {
  task: text().notNull().primaryKey(),
  /** null: from the beginning */
  position: text(),
})

/** The random pairing id that is also the content of the object `.pairing` in the bucket. One row. */
export const bucketPairing = sqliteTable('bucket_pairing', {
  one: integer().notNull().primaryKey(),
  /** null until the bucket has first been paired */
  current: text(),
  /** The pairing id that the bucket is about to get; null: none */
  next: text(),
  changed_at: integer().notNull(),
})

/** Owners with whom a step of a task has failed; the task leaves them out until `next_at`. */
export const pausedOwners = sqliteTable(
  'paused_owners',
  {
    task: text().notNull(),
    owner_id: text().notNull(),
    failures: integer().notNull(),
    next_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.task, table.owner_id] })],
)

/** The partitions that have been moved to or from this database. A partition without a row is open in the first database only. */
export const partitions = sqliteTable('partitions', {
  /** Three hexadecimal digits. */
  partition: text().notNull().primaryKey(),
  state: text({ enum: partitionStates }).notNull(),
  /** Of a partition that is gone or frozen, the binding that has it or gets it; of an incoming one, where it comes from. */
  moved_to: text(),
  /** Of a partition that is gone: whether its rows are still to be removed. */
  has_rows: integer().$type<0 | 1>().notNull().default(1),
})

/** The move of partitions that is under way from or to this database. At most one row. */
export const moves = sqliteTable('moves', {
  one: integer().notNull().primaryKey(),
  /** The same in both databases. */
  id: text().notNull(),
  /** Of this database. */
  role: text({ enum: moveRoles }).notNull(),
  /** The binding of the other database. */
  other: text().notNull(),
  /** How many steps have been taken here. */
  step: count(),
  /** How far the move is, as a JSON object (src/operators/shards/mover/moves.ts). */
  position: text().notNull(),
})

/** The users who are being moved to this database. */
export const movingUsers = sqliteTable('moving_users', {
  user_id: text().notNull().primaryKey(),
  /** About how many rows the user has. */
  size: integer().notNull(),
})

/** The partitions whose users may have shared files with a grantee. A row is in the home of the grantee. */
export const shareHints = sqliteTable(
  'share_hints',
  {
    grantee_partition: text().notNull(),
    grantee_id: text().notNull(),
    partition: text().notNull(),
    /** The time of the latest share, or a later time that the job has set; the job checks the hint an hour after it. */
    hinted_at: integer().notNull(),
    /** No share with the grantee from before this time is left in the partition, because of an erasure. -1: no erasure. */
    erased_until: integer().notNull().default(-1),
  },
  (table) => [primaryKey({ columns: [table.grantee_partition, table.grantee_id, table.partition] })],
)

/** The partitions whose users may have branched an asset. A row is in the database of the asset. */
export const branchHints = sqliteTable(
  'branch_hints',
  {
    source_id: text().notNull(),
    partition: text().notNull(),
    hinted_at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.source_id, table.partition] })],
)

/** The profile picture that each user has chosen. */
export const profiles = sqliteTable('profiles', {
  user_id: text().notNull().primaryKey(),
  /** A file of the user's. A trigger removes the row with the file. */
  picture_id: text().notNull(),
  updated_at: integer().notNull(),
})

/** The announcements that are in force, in the first database. */
export const announcements = sqliteTable('announcements', {
  id: text().notNull().primaryKey(),
  /** The version of the list that it began with. */
  number: integer().notNull(),
  type: text().notNull(),
  /** JSON */
  data: text().notNull(),
  expires_at: integer().notNull(),
  created_at: integer().notNull(),
  /** Of the publisher and its Idempotency-Key. */
  key_hash: text(),
  /** Of the request with that key. */
  request_hash: text(),
})

/** The version of the list of announcements: one row. */
export const announcementList = sqliteTable('announcement_list', {
  one: integer().notNull().primaryKey(),
  version: integer().notNull(),
})

/** The recalls of saves, those that have ended too, in the first database. */
export const recalls = sqliteTable('recalls', {
  id: text().notNull().primaryKey(),
  /** The version of the list that it began with. */
  number: integer().notNull(),
  /** The version of the list since its last change. */
  changed: integer().notNull(),
  from_time: integer().notNull(),
  until_time: integer().notNull(),
  newer: text({ enum: newerSaves }).notNull(),
  reason: text().notNull(),
  /** JSON; null: all of the player's. */
  slots: text(),
  created_at: integer().notNull(),
  ended_at: integer(),
  player_count: integer().notNull().default(0),
  slot_count: integer().notNull().default(0),
  kept_count: integer().notNull().default(0),
  without_earlier_count: integer().notNull().default(0),
  /** Of the caller and its Idempotency-Key. */
  key_hash: text(),
  /** Of the request with that key. */
  request_hash: text(),
})

/** The reports of players' objects that are in the counts of recalls, in the first database. Ids sort by time. */
export const recallReports = sqliteTable('recall_reports', {
  id: text().notNull().primaryKey(),
})

/** What was done under a scope, in the first database. Ids sort by time. */
export const audit = sqliteTable('audit', {
  id: text().notNull().primaryKey(),
  at: integer().notNull(),
  actor: text().notNull(),
  scope: text().notNull(),
  /** The operationId. */
  action: text().notNull(),
  /** Whom the act concerns. */
  user_id: text(),
  /** The id of the thing. */
  resource: text(),
  reason: text(),
  request_id: text().notNull(),
  /** Of the answer; null while it is not known. */
  status: integer(),
})

/** In the first database: everything about one thing that was reported (docs/moderating.md). */
export const cases = sqliteTable('cases', {
  id: text().notNull().primaryKey(),
  target_type: text({ enum: targetTypes }).notNull(),
  target_id: text().notNull(),
  /** null: erased */
  owner_id: text(),
  /** How often the measure has changed, and the number that the thing has been given. */
  sequence: count(),
  applied: count(),
  /** The last decision; null once it was lifted. */
  decision_id: text(),
  /** The last decision as JSON, and the appeal against it. Triggers keep both. */
  decision: text(),
  appeal: text(),
  appealed_at: integer(),
  /** null: somebody has to look */
  decided_at: integer(),
  /** How many decisions have ended the reports that were open. */
  round: count(),
  /** Of open reports. */
  report_count: count(),
  illegal_count: count(),
  /** A JSON object from category to count. */
  categories: text().notNull().default('{}'),
  /** A JSON object with every category that was ever reported. */
  seen: text().notNull().default('{}'),
  first_reported_at: integer(),
  last_reported_at: integer(),
  /** First-time reporters since a moderator's last decision, or its lifting. */
  fresh_reporters: count(),
  created_at: integer().notNull(),
  changed_at: integer().notNull(),
  state: text({ enum: caseStates })
    .notNull()
    .generatedAlwaysAs(
      sql`CASE WHEN appealed_at IS NOT NULL THEN 'appealed' WHEN report_count > 0 OR decided_at IS NULL THEN 'open' ELSE 'decided' END`,
    ),
  is_measured: integer()
    .$type<0 | 1>()
    .notNull()
    .generatedAlwaysAs(
      sql`decision_id IS NOT NULL AND coalesce(decision ->> 'action', '') IN ('rate', 'unlist', 'block')`,
    ),
  sort_at: integer()
    .notNull()
    .generatedAlwaysAs(sql`coalesce(appealed_at, first_reported_at, decided_at, created_at)`),
})

export const caseCategories = sqliteTable(
  'case_categories',
  {
    category: text({ enum: reportCategories }).notNull(),
    case_id: text().notNull(),
    owner_id: text(),
    state: text({ enum: caseStates }).notNull(),
    sort_at: integer().notNull(),
    report_count: integer().notNull(),
    /** The other columns of the case that the queue shows, as JSON. */
    shown: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.case_id, table.category] })],
)

export const reports = sqliteTable('reports', {
  id: text().notNull().primaryKey(),
  /** null: of a user whom nobody knows here */
  case_id: text(),
  /** null: erased */
  reporter_id: text(),
  target_type: text({ enum: targetTypes }).notNull(),
  target_id: text().notNull(),
  category: text({ enum: reportCategories }).notNull(),
  text: text(),
  is_illegal: integer().$type<0 | 1>().notNull(),
  /** That of the case when it was made: the report is open until a decision has ended this round. */
  round: count(),
  created_at: integer().notNull(),
  key_hash: text(),
  request_hash: text(),
})

export const decisions = sqliteTable('decisions', {
  id: text().notNull().primaryKey(),
  case_id: text().notNull(),
  /** That of the case which it made. */
  sequence: integer().notNull(),
  /** Of the reports that it ended; null: it left them open. */
  round: integer(),
  target_type: text({ enum: targetTypes }).notNull(),
  target_id: text().notNull(),
  /** The name of the thing at that time. */
  name: text(),
  /** null: erased */
  owner_id: text(),
  /** null: the service itself, or erased */
  moderator_id: text(),
  action: text({ enum: decisionActions }).notNull(),
  ground: text({ enum: decisionGrounds }).notNull(),
  rule: text(),
  statement: text().notNull(),
  note: text(),
  rating: text({ enum: ratings }),
  is_automated: integer().$type<0 | 1>().notNull(),
  /** Of the reports that were open. */
  first_reported_at: integer(),
  created_at: integer().notNull(),
  lifted_at: integer(),
  appealable_until: integer().notNull(),
  key_hash: text(),
  request_hash: text(),
})

export const appeals = sqliteTable('appeals', {
  id: text().notNull().primaryKey(),
  case_id: text().notNull(),
  decision_id: text().notNull(),
  by: text({ enum: appellants }).notNull(),
  /** null: erased */
  user_id: text(),
  text: text().notNull(),
  state: text({ enum: appealStates }).notNull().default('open'),
  answer: text(),
  /** null: not decided, or erased */
  decided_by: text(),
  created_at: integer().notNull(),
  decided_at: integer(),
})

/** In the first database: notifications of moderation, until the inboxes have them. */
export const moderationNotices = sqliteTable('moderation_notices', {
  id: text().notNull().primaryKey(),
  case_id: text().notNull(),
  /** null: everybody whose report a decision has ended */
  user_id: text(),
  type: text().notNull(),
  /** JSON */
  data: text().notNull(),
  /** When the job sends it. */
  due_at: integer().notNull(),
})

/** The measure of the last decision about a thing, in the database of the thing. Triggers apply it. */
export const measures = sqliteTable(
  'measures',
  {
    kind: text({ enum: blockedKinds }).notNull(),
    id: text().notNull(),
    /** That of the case; 0: an own branch has taken it over. */
    sequence: integer().notNull(),
    /** null: lifted */
    decision_id: text(),
    action: text({ enum: decisionActions }).notNull(),
    rating: text({ enum: ratings }),
    /** The owner's rating when a moderator rated the asset. */
    rating_before: text({ enum: ratings }),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)
