import { expect } from 'vitest'
import { everyDatabase, everywhere } from './databases.ts'

/** Whether others can see an asset, as `is_listed` says. */
const isListed = (row: 'NEW' | 'OLD') =>
  `(${row}.visibility = 'public' AND ${row}.blocked = 0 AND ${row}.deleted_at IS NULL)`

const reached = (row: 'NEW' | 'OLD') =>
  `${row}.used_bytes * 100 >= threshold.value * coalesce(${row}.limit_bytes, ${row}.default_limit_bytes)`

/**
 * The changes of rows that require an event: the change, its condition, the event's type and its resource. A purge removes
 * the uploads of a file before the file, and a failed upload's file is removed before the upload ends.
 */
const facts: [change: string, condition: string, type: string, resource: string][] = [
  [
    'UPDATE OF state ON uploads',
    `NEW.state = 'completed' AND OLD.state <> NEW.state`,
    'upload.completed',
    'NEW.id',
  ],
  [
    'UPDATE OF state ON uploads',
    `NEW.state = 'failed' AND OLD.state <> NEW.state`,
    'upload.failed',
    'NEW.id',
  ],
  ['DELETE ON uploads', `OLD.state IN ('open', 'completing')`, 'upload.failed', 'OLD.id'],
  ['DELETE ON files', 'NOT EXISTS (SELECT 1 FROM uploads WHERE file_id = OLD.id)', 'file.purged', 'OLD.id'],
  ['INSERT ON game_assets', 'true', 'asset.created', 'NEW.id'],
  ['INSERT ON game_assets', isListed('NEW'), 'asset.published', 'NEW.id'],
  [
    'UPDATE OF visibility, blocked, deleted_at ON game_assets',
    `${isListed('NEW')} AND NOT ${isListed('OLD')}`,
    'asset.published',
    'NEW.id',
  ],
  [
    'UPDATE OF live_version ON game_assets',
    'coalesce(NEW.live_version, NEW.current_version) <> coalesce(OLD.live_version, OLD.current_version)',
    'asset.released',
    'NEW.id',
  ],
  ['INSERT ON asset_versions', 'true', 'asset.version_added', 'NEW.id'],
  [
    'DELETE ON asset_versions',
    'EXISTS (SELECT 1 FROM game_assets WHERE id = OLD.asset_id AND purging = 0)',
    'asset.version_deleted',
    'OLD.id',
  ],
  [
    'UPDATE OF deleted_at ON game_assets',
    'OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.purging = 0',
    'asset.deleted',
    `NEW.id || ' 0'`,
  ],
  ['DELETE ON game_assets', 'true', 'asset.deleted', `OLD.id || ' 1'`],
  ['INSERT ON shares', 'true', 'share.created', 'NEW.id'],
  ['DELETE ON shares', 'OLD.expires_at IS NULL', 'share.revoked', 'OLD.id'],
  ['UPDATE OF blocked ON game_assets', 'NEW.blocked = 1 AND OLD.blocked = 0', 'content.blocked', 'NEW.id'],
  ['UPDATE OF blocked ON files', 'NEW.blocked = 1 AND OLD.blocked = 0', 'content.blocked', 'NEW.id'],
  ['DELETE ON erasures', 'OLD.is_guest = 0', 'user.erased', 'OLD.user_id'],
]

/**
 * Creates triggers that record facts in each database, in the transaction of the change. They don't depend on the statements
 * that write events.
 */
export async function noteFacts(): Promise<void> {
  const statements = [
    'CREATE TABLE facts (event TEXT NOT NULL)',
    ...facts.map(
      (
        [change, condition, type, resource],
        index,
      ) => `CREATE TRIGGER facts_${index} AFTER ${change} WHEN ${condition}
        BEGIN INSERT INTO facts VALUES ('${type} ' || ${resource}); END`,
    ),
    `CREATE TRIGGER facts_quota AFTER UPDATE OF used_bytes ON usage BEGIN
      INSERT INTO facts SELECT 'quota.threshold ' || NEW.user_id || ' ' || threshold.value
      FROM json_each('[80,100]') AS threshold WHERE NOT (${reached('OLD')}) AND ${reached('NEW')};
    END`,
  ]
  for (const database of everyDatabase)
    await database.batch(statements.map((statement) => database.prepare(statement)))
}

const EVENTS = `SELECT type || ' ' || CASE
    WHEN type LIKE 'upload.%' THEN data ->> 'upload_id'
    WHEN type IN ('asset.version_added', 'asset.version_deleted') THEN data ->> 'version_id'
    WHEN type = 'asset.deleted' THEN (data ->> 'asset_id') || ' ' || (data ->> 'permanent')
    WHEN type = 'quota.threshold' THEN (data ->> 'user_id') || ' ' || (data ->> 'threshold_percent')
    ELSE coalesce(data ->> 'share_id', data ->> 'file_id', data ->> 'asset_id', data ->> 'id', data ->> 'user_id')
  END AS event FROM outbox`

/** Fails unless events and facts match one to one. Returns the number of events of each type. */
export async function expectEventsOfFacts(): Promise<Record<string, number>> {
  const sorted = (rows: { event: string }[]) => rows.map(({ event }) => event).sort()
  const noted = sorted(await everywhere<{ event: string }>('SELECT event FROM facts'))
  const events = sorted(await everywhere<{ event: string }>(EVENTS))
  const [missing, invented] = [without(noted, events), without(events, noted)]
  expect({ missing, invented }).toEqual({ missing: [], invented: [] })
  const counts: Record<string, number> = {}
  for (const event of events) {
    const [type = ''] = event.split(' ')
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

/** The members of one list that occur less often in another. */
function without(some: string[], others: string[]): string[] {
  const left = new Map<string, number>()
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1)
  return some.filter((one) => {
    const count = left.get(one) ?? 0
    left.set(one, count - 1)
    return count <= 0
  })
}
