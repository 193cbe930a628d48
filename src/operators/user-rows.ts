import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { assetsOf, blockedFilesOf, filesOf, type Owners, uploadsOf } from '../features/content/owned-rows.ts'
import * as schema from '../platform/db/schema.ts'

/*
 * Every table with rows of users. The mover (shards/mover), the reconciliation and the erasure work from these lists, and
 * have the exceptions of single tables themselves. A table of the schema that is not listed here fails a test.
 */

/** How the erasure of a user treats the user's rows of a table. */
type Erased =
  /** The erasure removes them. A row that is there afterwards means that the user is back. */
  | 'content'
  /** The erasure removes them, or the user's id from them, before it ends. */
  | 'trace'
  /** The erasure does not look for them, for this reason. */
  | { otherwise: string }

interface Rows {
  table: SQLiteTable
  /** The columns that identify a row. */
  key: readonly string[]
  /** Tables whose rows refer to a row of this one, and the column that does. They are copied after it and removed before it. */
  referredBy?: Readonly<Record<string, string>>
  erased: Erased
}

interface RowsOfUsers extends Rows {
  /** SQL: `FROM …` with the users' rows as `t`. */
  of: (owners: Owners) => SQL
}

interface RowsOfPartitions extends Rows {
  /** SQL: the partition of a row `t`. */
  partition: string
}

const byColumn =
  (table: string, column: string) =>
  ({ from, id }: Owners) =>
    sql`FROM ${from} ${sql.raw(table)} AS t WHERE t.${sql.raw(column)} = ${id}`

const by = (ids: (owners: Owners) => SQL, table: string, column: string) => (owners: Owners) =>
  sql`FROM (${ids(owners)}) AS found CROSS JOIN ${sql.raw(table)} AS t WHERE t.${sql.raw(column)} = found.id`

/** The tables whose rows belong to a user, in the order in which rows are written: a row comes after those that it refers to. */
export const rowsOfUsers = {
  usage: {
    table: schema.usage,
    key: ['user_id'],
    of: byColumn('usage', 'user_id'),
    erased: { otherwise: 'the end of the erasure removes it, when it counts nothing' },
  },
  files: {
    table: schema.files,
    key: ['id'],
    of: by(filesOf, 'files', 'id'),
    referredBy: { uploads: 'file_id', shares: 'file_id' },
    erased: 'content',
  },
  uploads: {
    table: schema.uploads,
    key: ['id'],
    of: by(uploadsOf, 'uploads', 'id'),
    erased: 'content',
  },
  /** Shares belong to the owner of the file. The erasure of a grantee removes shares in every database. */
  shares: { table: schema.shares, key: ['id'], of: by(filesOf, 'shares', 'file_id'), erased: 'content' },
  /** After the files: a trigger removes a profile with its picture. */
  profiles: {
    table: schema.profiles,
    key: ['user_id'],
    of: byColumn('profiles', 'user_id'),
    erased: 'content',
  },
  game_assets: {
    table: schema.gameAssets,
    key: ['id'],
    of: by(assetsOf, 'game_assets', 'id'),
    referredBy: { asset_versions: 'asset_id', asset_channels: 'asset_id' },
    erased: 'content',
  },
  asset_versions: {
    table: schema.assetVersions,
    key: ['id'],
    of: by(assetsOf, 'asset_versions', 'asset_id'),
    erased: { otherwise: 'they go with their asset' },
  },
  asset_variants: {
    table: schema.assetVariants,
    key: ['asset_id', 'version', 'platform'],
    of: by(assetsOf, 'asset_variants', 'asset_id'),
    erased: { otherwise: 'they go with their version' },
  },
  asset_channels: {
    table: schema.assetChannels,
    key: ['asset_id', 'channel'],
    of: by(assetsOf, 'asset_channels', 'asset_id'),
    erased: { otherwise: 'they go with their asset' },
  },
  /** An asset may be another user's. */
  favorites: {
    table: schema.favorites,
    key: ['user_id', 'asset_id'],
    of: byColumn('favorites', 'user_id'),
    erased: 'content',
  },
  /** The muted user may be anybody. The erasure of a muted user removes rows in every database. */
  mutes: {
    table: schema.mutes,
    key: ['user_id', 'muted_id'],
    of: byColumn('mutes', 'user_id'),
    erased: 'content',
  },
  mute_lists: {
    table: schema.muteLists,
    key: ['user_id'],
    of: byColumn('mute_lists', 'user_id'),
    erased: 'content',
  },
  /** A block belongs to the owner of the item. A trigger removes it with the item; an erasure removes the moderator's id. */
  blocks: {
    table: schema.blocks,
    key: ['kind', 'id'],
    of: (owners: Owners) => sql`FROM (
        SELECT 'files' AS kind, id FROM (${blockedFilesOf(owners)})
        UNION ALL SELECT 'assets', id FROM (${assetsOf(owners, ['id', 'blocked'])}) WHERE blocked = 1
      ) AS found CROSS JOIN blocks AS t WHERE t.kind = found.kind AND t.id = found.id`,
    erased: 'trace',
  },
  /** A measure belongs to the owner of the item, too. A trigger removes it with the item. */
  measures: {
    table: schema.measures,
    key: ['kind', 'id'],
    of: (owners: Owners) => sql`FROM (
        SELECT 'files' AS kind, id FROM (${filesOf(owners)}) UNION ALL SELECT 'assets', id FROM (${assetsOf(owners)})
      ) AS found CROSS JOIN measures AS t WHERE t.kind = found.kind AND t.id = found.id`,
    erased: { otherwise: 'they go with their item' },
  },
  idempotency: {
    table: schema.idempotency,
    key: ['caller_id', 'key'],
    of: byColumn('idempotency', 'caller_id'),
    erased: 'content',
  },
  trash_emptied: {
    table: schema.trashEmptied,
    key: ['owner_id'],
    of: byColumn('trash_emptied', 'owner_id'),
    erased: 'trace',
  },
  /** The erasure of a guest belongs to its database, and not to the user. */
  erasures: {
    table: schema.erasures,
    key: ['user_id'],
    of: (owners: Owners) => sql`${byColumn('erasures', 'user_id')(owners)} AND t.is_guest = 0`,
    erased: { otherwise: 'the row is the erasure' },
  },
} as const satisfies Record<string, RowsOfUsers>

/** The tables whose rows belong to a partition, which is part of an id or of a key. */
export const rowsOfPartitions = {
  /** The partition in the key of content, which is an id; of a marker, that of its asset. */
  garbage: {
    table: schema.garbage,
    key: ['object_key'],
    partition:
      "iif(substr(t.object_key, 1, 5) = 'refs/', substr(t.object_key, 63, 3), substr(t.object_key, 21, 3))",
    erased: 'content',
  },
  share_hints: {
    table: schema.shareHints,
    key: ['grantee_partition', 'grantee_id', 'partition'],
    partition: 't.grantee_partition',
    erased: 'trace',
  },
  /** A row of a share that is not there any more moves, too: the job removes it when it is due. */
  shares_to_notify: {
    table: schema.sharesToNotify,
    key: ['due_at', 'share_id'],
    partition: 'substr(t.share_id, 21, 3)',
    erased: { otherwise: 'they name no user; the job removes them within minutes while NOTIFY_SHARES is on' },
  },
  branch_hints: {
    table: schema.branchHints,
    key: ['source_id', 'partition'],
    partition: 'substr(t.source_id, 21, 3)',
    erased: { otherwise: 'they name no user' },
  },
  catalogue_marks: {
    table: schema.catalogueMarks,
    key: ['asset_id'],
    partition: 'substr(t.asset_id, 21, 3)',
    erased: { otherwise: 'they name no user; the job removes them' },
  },
  outbox: {
    table: schema.outbox,
    key: ['id'],
    partition: 'substr(t.id, 21, 3)',
    erased: 'trace',
  },
} as const satisfies Record<string, RowsOfPartitions>

/** The other tables, with the reason why their rows neither move nor are erased with a user. */
export const rowsOfNoUser = {
  progress: 'how far a database’s own job, delivery and moves are',
  bucket_pairing: 'whether the database and the bucket belong together',
  paused_owners: 'the job’s own: a pause ends by itself, and the next job makes it anew',
  outbox_counts: 'triggers count the events of the outbox',
  partitions: 'which partitions the database has',
  moves: 'the move that is under way',
  moving_users: 'the users of the move that is under way',
  audit:
    'what was done under a scope, in the first database; an erasure puts its mark in place of the user’s id',
  cases: 'what was reported, in the first database; an erasure takes the user out of them',
  case_categories: 'a trigger makes them from cases',
  reports:
    'what players reported, in the first database; an erasure takes the reporter and the text out of them',
  decisions: 'what moderators decided, in the first database; an erasure takes the user out of them',
  appeals:
    'what players said against decisions, in the first database; an erasure takes the user and the text out of them',
  moderation_notices:
    'notifications on their way, in the first database; an erasure removes those to the user',
  announcements: 'the studio’s own, for all users, in the first database',
  announcement_list: 'the version of the announcements',
  recalls: 'the studio’s own, of all users, in the first database',
  recall_reports: 'ids that name nobody, in the first database',
  catalogue_entries:
    'made from assets, in the catalogue’s database; the erasure of an owner hides them, and marks remove them',
  catalogue_hidden_owners: 'what pages leave out while an owner is erased; the job removes it afterwards',
  large_versions: 'triggers keep it, from the versions of this database; it goes with them',
  favorite_counts: 'triggers count the favorites of this database',
  favorite_recounts: 'the assets whose counts have changed in this database',
} as const

type Tables = typeof rowsOfUsers & typeof rowsOfPartitions

/** The names of the tables that an erasure treats in one of these ways. */
export type ErasedTable<As extends Erased> = {
  [Name in keyof Tables]: Tables[Name]['erased'] extends As ? Name : never
}[keyof Tables]

/** SQL: the number of a user's rows in each of these tables, from the user's row of `usage`. */
export const counters = {
  files: 'items',
  uploads: 'open_uploads + ended_uploads',
  game_assets: 'assets',
  asset_versions: 'versions',
  favorites: 'favorites',
  mutes: 'mutes',
  idempotency: 'idempotency_keys',
} as const satisfies { [Name in keyof typeof rowsOfUsers]?: string }

/** A table whose rows the counter of another one counts, too. */
export const countedWith: { [Name in CountedTable]?: keyof typeof rowsOfUsers } = {
  asset_versions: 'asset_variants',
}

export type CountedTable = keyof typeof counters

/** SQL: about how many rows a user has: the counted ones, and one of `usage`. */
export const ROWS_OF_USER = sql.raw(['1', ...Object.values(counters)].join(' + '))
