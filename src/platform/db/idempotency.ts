import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { ApiError, limitReached } from '../errors.ts'
import type { Database } from './database.ts'
import { type IdempotencyKey, KEY_LIFETIME_SECONDS, keyReused } from './idempotency-key.ts'
import { createdAt, erasedUntil } from './marks.ts'
import { retryOnConflict } from './retry.ts'
import { idempotency } from './schema.ts'
import { UniqueViolation } from './session.ts'
import { columnsOf, insert, type RowOf } from './sql.ts'

interface Creation<Made> {
  /** Writes in one batch that carries its own conditions. Undefined when one of them did not hold. */
  create: () => Promise<Made | undefined>
  /** Reads the current state of the resource that an earlier request with the same key made. */
  replay: (made_id: string) => Promise<Made>
  /** Finds out why `create` wrote nothing; undefined when the reason is gone. */
  explain: () => Promise<ApiError | undefined>
}

/**
 * Creates a resource once for each key within 24 hours (docs/conformance.md#conventions), and once for each call without a
 * key. Nothing is checked before the write. A second trip finds out why nothing was written.
 *
 * @throws IDEMPOTENCY_KEY_REUSED when the key came with another request, and what `replay` throws or `explain` returns
 */
export async function createIdempotently<Made>(
  db: Database,
  key: IdempotencyKey | undefined,
  creation: Creation<Made>,
): Promise<Made> {
  return retryOnConflict(async () => {
    const made = await creation.create().catch((error: unknown) => {
      if (error instanceof ApiError || error instanceof UniqueViolation) return error
      throw error
    })
    if (made !== undefined && !(made instanceof ApiError) && !(made instanceof UniqueViolation)) return made
    // A batch that failed returns no bookmark, so a replica may not have the row that it collided with.
    db.usePrimary()
    const earlier = key && (await findKey(db, key))
    if (earlier) return replayed(db, key, earlier, creation)
    if (made instanceof ApiError) throw made
    const reason = await creation.explain()
    if (reason) throw reason
    return undefined
  })
}

/** The resource that the key made. Undefined when the key was deleted meanwhile, as the erasure of a user does. */
async function replayed<Made>(
  db: Database,
  key: IdempotencyKey,
  made_id: string,
  { replay }: Creation<Made>,
): Promise<Made | undefined> {
  try {
    return await replay(made_id)
  } catch (error) {
    if ((await findKey(db, key)) === made_id) throw error
    return undefined
  }
}

/**
 * The statement that records the id of the created resource under its key. `made` selects the id, and no row when nothing was
 * created, so that the key stays unused. An earlier statement of the batch makes sure that the caller has a usage row, where keys are counted.
 */
export function recordKey(key: IdempotencyKey | undefined, made: SQL): SQL[] {
  if (!key) return []
  const { caller_id, request_hash, now } = key
  return [
    insert(
      idempotency,
      {
        caller_id,
        key: key.key,
        request_hash,
        made_id: sql`made.id`,
        created_at: createdAt(now, caller_id),
      },
      sql`FROM (${made}) AS made`,
    ),
  ]
}

/** The state of a key, and of its caller's keys. */
export interface KeyLook {
  /** Whether an earlier request has recorded it. */
  is_known: 0 | 1
  /** Whether the caller has as many keys as allowed. */
  is_full: 0 | 1
}

/**
 * The statement that reads whether a batch could record a key, before a hint or a marker is written elsewhere. `most` is the
 * limit of a caller's keys. Only the batch decides.
 */
export function lookAtKey(key: IdempotencyKey | undefined, most: number): SQL<KeyLook> {
  if (!key) return sql<KeyLook>`SELECT 0 AS is_known, 0 AS is_full`
  const one = (isSome: SQL) => sql`EXISTS (SELECT 1 FROM idempotency WHERE ${isSameKey(key)} AND ${isSome})`
  const count = sql`coalesce((SELECT idempotency_keys FROM usage WHERE user_id = ${key.caller_id}), 0)`
  return sql<KeyLook>`SELECT ${one(sql`created_at > ${expiry(key)}`)} AS is_known,
    ${count} - ${one(sql`created_at <= ${expiry(key)}`)} >= ${most} AS is_full`
}

/** Whether a key is known, by `lookAtKey`. @throws LIMIT_REACHED (idempotency_keys) when it is not, and there is no room */
export function isKnown([look]: readonly KeyLook[]): boolean {
  if (look?.is_known) return true
  if (look?.is_full) throw limitReached('idempotency_keys')
  return false
}

/** The statement that deletes a key that has expired, or whose caller has been erased since. Comes before `recordKey` in a batch. */
export function dropExpiredKey(key: IdempotencyKey | undefined): SQL[] {
  if (!key) return []
  return [sql`DELETE FROM idempotency WHERE ${isSameKey(key)} AND created_at <= ${expiry(key)}`]
}

const { request_hash, made_id } = getTableColumns(idempotency)
const found = { request_hash, made_id }

async function findKey(db: Database, key: IdempotencyKey): Promise<string | undefined> {
  const [row] = await db.read<RowOf<typeof found>>(
    sql`SELECT ${columnsOf(found)} FROM idempotency WHERE ${isSameKey(key)} AND created_at > ${expiry(key)}`,
  )
  if (row && row.request_hash !== key.request_hash) throw keyReused()
  return row?.made_id
}

function isSameKey({ caller_id, key }: IdempotencyKey): SQL {
  return sql`caller_id = ${caller_id} AND key = ${key}`
}

/** SQL: the time in Unix seconds such that keys created by then have expired. */
function expiry({ now, caller_id }: IdempotencyKey): SQL {
  return sql`max(${now - KEY_LIFETIME_SECONDS}, ${erasedUntil(caller_id)})`
}
