import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../../db/schema.ts'

/** SQL: the partitions of this database's move. */
export const MOVING_PARTITIONS = sql<{
  partition: string
}>`SELECT partition FROM partitions INDEXED BY partitions_moving
  WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1)`

/** A table as the mover copies it. Its rows travel as JSON arrays, which SQLite makes and reads. */
export interface Portable {
  name: string
  /** The name of the table. */
  table: string
  /** The columns that travel, in the order of the array. */
  columns: string[]
  /** SQL: the key of a row `t`, as text. */
  key: string
  /** SQL: `FROM …` with the rows as `t`: those of these users (a JSON array), or of the move's partitions. */
  from: (users: string) => SQL
  /** What is read of a row `t` in place of a column: text of SQL. Read of its copy, it is the same. */
  reads: Record<string, string>
  /** What a column gets in the copy in place of what it has: text of SQL. */
  instead: Record<string, string>
  /** What stands behind INSERT, and behind the statement, where rows meet others. */
  conflict: string
  afterwards: string
  /** Whether rows meet others, so that the two databases need not agree. */
  isMerged: boolean
}

type Optional = 'reads' | 'instead' | 'conflict' | 'afterwards' | 'isMerged'

interface Details extends Pick<Portable, 'key' | 'from'>, Partial<Pick<Portable, Optional>> {
  table: SQLiteTable
  /** Columns that the copy makes itself. */
  without?: string[]
}

function portable(name: string, { table, without = [], ...details }: Details): Portable {
  const stored = Object.entries(getTableColumns(table)).filter(([, column]) => !column.generated)
  const columns = stored.map(([column]) => column).filter((column) => !without.includes(column))
  const standard = { reads: {}, instead: {}, conflict: '', afterwards: '', isMerged: false }
  return { name, table: getTableName(table), columns, ...standard, ...details }
}

const among = (users: string) => sql`FROM json_each(${users}) AS mover`

/** SQL: the ids of the users' files. Each file is in one of the four indexes. */
const fileIds = (users: string) => sql`
  SELECT files.id ${among(users)} CROSS JOIN files INDEXED BY files_by_name
    ON owner_id = mover.value AND trashed_at IS NULL AND blocked = 0
  UNION ALL SELECT files.id ${among(users)} CROSS JOIN files INDEXED BY files_blocked
    ON owner_id = mover.value AND blocked = 1
  UNION ALL SELECT files.id ${among(users)} CROSS JOIN files INDEXED BY files_in_trash
    ON owner_id = mover.value AND trashed_at IS NOT NULL AND purging = 0 AND blocked = 0
  UNION ALL SELECT files.id ${among(users)} CROSS JOIN files INDEXED BY files_purging
    ON owner_id = mover.value AND purging = 1 AND blocked = 0`

/** SQL: the ids of the users' assets. Each asset is in one of the three indexes. */
const assetIds = (users: string) => sql`
  SELECT game_assets.id ${among(users)} CROSS JOIN game_assets INDEXED BY game_assets_own
    ON owner_id = mover.value AND deleted_at IS NULL
  UNION ALL SELECT game_assets.id ${among(users)} CROSS JOIN game_assets INDEXED BY game_assets_deleted
    ON owner_id = mover.value AND deleted_at IS NOT NULL AND purging = 0
  UNION ALL SELECT game_assets.id ${among(users)} CROSS JOIN game_assets INDEXED BY game_assets_purging
    ON owner_id = mover.value AND purging = 1`

/** SQL: the ids of the users' uploads. Those of files are found by their files. */
const uploadIds = (users: string) => sql`
  SELECT uploads.id FROM (${fileIds(users)}) AS file CROSS JOIN uploads INDEXED BY uploads_of_file ON file_id = file.id
  UNION ALL SELECT uploads.id ${among(users)} CROSS JOIN uploads INDEXED BY uploads_of_assets
    ON owner_id = mover.value AND upload_type = 'game_asset'`

const blockIds = (users: string) => sql`
  SELECT 'files' AS kind, files.id ${among(users)} CROSS JOIN files INDEXED BY files_blocked
    ON owner_id = mover.value AND blocked = 1
  UNION ALL SELECT 'assets', asset.id FROM (${assetIds(users)}) AS asset CROSS JOIN game_assets
    ON game_assets.id = asset.id AND blocked = 1`

/** The tables whose rows belong to users, in the order in which they are written: what is referred to comes first. */
export const tablesOfUsers: Portable[] = [
  portable('usage', {
    table: schema.usage,
    key: 't.user_id',
    from: (users) => sql`${among(users)} CROSS JOIN usage AS t ON t.user_id = mover.value`,
    without: ['moving'],
  }),
  portable('files', {
    table: schema.files,
    key: 't.id',
    from: (users) => sql`FROM (${fileIds(users)}) AS found CROSS JOIN files AS t ON t.id = found.id`,
    // The shares count themselves.
    instead: { share_count: '0', expired_share_count: '0' },
  }),
  portable('uploads', {
    table: schema.uploads,
    key: 't.id',
    from: (users) => sql`FROM (${uploadIds(users)}) AS found CROSS JOIN uploads AS t ON t.id = found.id`,
  }),
  portable('shares', {
    table: schema.shares,
    key: 't.id',
    from: (users) => sql`FROM (${fileIds(users)}) AS found CROSS JOIN shares AS t ON t.file_id = found.id`,
  }),
  portable('game_assets', {
    table: schema.gameAssets,
    key: 't.id',
    from: (users) => sql`FROM (${assetIds(users)}) AS found CROSS JOIN game_assets AS t ON t.id = found.id`,
    // Numbers that are taken: see `spilled`.
    afterwards: 'ON CONFLICT (number) DO NOTHING',
  }),
  portable('asset_versions', {
    table: schema.assetVersions,
    key: 't.id',
    from: (users) =>
      sql`FROM (${assetIds(users)}) AS found CROSS JOIN asset_versions AS t ON t.asset_id = found.id`,
  }),
  portable('blocks', {
    table: schema.blocks,
    key: 't.kind || t.id',
    // The insert of a blocked asset has made a row.
    conflict: 'OR REPLACE',
    from: (users) =>
      sql`FROM (${blockIds(users)}) AS found CROSS JOIN blocks AS t ON t.kind = found.kind AND t.id = found.id`,
  }),
  portable('idempotency', {
    table: schema.idempotency,
    key: "t.caller_id || ' ' || t.key",
    from: (users) => sql`${among(users)} CROSS JOIN idempotency AS t ON t.caller_id = mover.value`,
  }),
  portable('trash_emptied', {
    table: schema.trashEmptied,
    key: 't.owner_id',
    from: (users) => sql`${among(users)} CROSS JOIN trash_emptied AS t ON t.owner_id = mover.value`,
  }),
  portable('erasures', {
    table: schema.erasures,
    key: 't.user_id',
    from: (users) =>
      sql`${among(users)} CROSS JOIN erasures AS t ON t.user_id = mover.value AND t.is_guest = 0`,
    // There may be the erasure of a guest.
    afterwards: `ON CONFLICT (user_id) DO UPDATE SET until = max(until, excluded.until),
      mark = max(mark, excluded.mark), inbox_erased = excluded.inbox_erased, next_at = 0, is_guest = 0`,
    isMerged: true,
  }),
]

/** SQL: the partition of a key in the garbage list: that in an object's id, or in the id of the asset that a marker names. */
const partitionOfKey = sql`iif(substr(t.object_key, 1, 5) = 'refs/', substr(t.object_key, 63, 3), substr(t.object_key, 21, 3))`

/**
 * The tables whose rows belong to partitions. Garbage and erasures are read as a whole: an index over the partition would cost
 * each row that is queued another row, and what is queued is what the job has not removed yet.
 */
export const tablesOfPartitions: Portable[] = [
  portable('garbage', {
    table: schema.garbage,
    key: 't.object_key',
    from: () => sql`FROM garbage AS t WHERE ${partitionOfKey} IN (${MOVING_PARTITIONS})`,
    // `fillGarbage` gives them these, so that the trigger of an insert neither counts the row nor changes its times.
    instead: { writable_until: '0', enqueued_at: 'NULL', owner_id: 'NULL' },
  }),
  portable('share_hints', {
    table: schema.shareHints,
    key: "t.grantee_partition || ' ' || t.grantee_id || ' ' || t.partition",
    from: () => sql`FROM share_hints AS t WHERE t.grantee_partition IN (${MOVING_PARTITIONS})`,
  }),
  portable('branch_hints', {
    table: schema.branchHints,
    // `+`: an index over an expression serves values without an affinity.
    key: "t.source_id || ' ' || t.partition",
    from: () => sql`FROM (${MOVING_PARTITIONS}) AS moving CROSS JOIN branch_hints AS t INDEXED BY branch_hints_by_partition
      ON substr(t.source_id, 21, 3) = +moving.partition`,
  }),
  // The order of a thing's events is a column of theirs, so they may be copied in any order.
  portable('outbox', {
    table: schema.outbox,
    key: 't.id',
    from: () => sql`FROM outbox AS t WHERE substr(t.id, 21, 3) IN (${MOVING_PARTITIONS})`,
    // A turn counts among those of its own database. Due since it happened, the event is delivered among those that come again.
    reads: { next_at: 'max(t.next_at, t.created_at)' },
  }),
  // What was shared with these users may move along: then it is to be removed there.
  portable('guests', {
    table: schema.erasures,
    key: 't.user_id',
    from: () => sql`FROM erasures AS t WHERE true`,
    instead: { is_guest: '1', next_at: '0' },
    afterwards: `ON CONFLICT (user_id) DO UPDATE SET until = excluded.until, next_at = 0 WHERE until < excluded.until`,
    isMerged: true,
  }),
]
