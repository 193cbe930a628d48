import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { ApiError, limitReached } from '../errors.ts'
import { base64 } from '../lib/text.ts'
import { DAY } from '../lib/units.ts'
import { type Database, retryOnConflict } from './database.ts'
import { idempotency } from './schema.ts'
import { UniqueViolation } from './session.ts'
import { type Bindable, columnsOf, insert, type Params, type Prepared, type RowOf, statement } from './sql.ts'
import { createdAt, erasedUntil } from './watermark.ts'

/** The lifetime of a key. */
export const KEY_LIFETIME_SECONDS = DAY

/** A caller's Idempotency-Key, with a hash of the request that it came with. */
export interface IdempotencyKey {
  caller_id: string
  key: string
  request_hash: string
  /** When the request came, in Unix seconds. */
  now: number
}

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
 * Returns the maker of the statement that records the id of the created resource under its key. `made` selects the id, and no
 * row when nothing was created, so that the key stays unused. An earlier statement of the batch makes sure that the caller has a
 * usage row, where keys are counted.
 */
export function keyRecorder<Name extends string>(
  made: (p: Params<Name>) => SQL,
): (key: IdempotencyKey | undefined, values: { [One in Name]: Bindable }) => Prepared[] {
  const record = statement((p: Params<string>) => {
    const row = {
      caller_id: sql`${p.caller_id}`,
      key: sql`${p.key}`,
      request_hash: sql`${p.request_hash}`,
      made_id: sql`made.id`,
      created_at: createdAt(sql`${p.key_created_at}`, sql`${p.caller_id}`),
    }
    return insert(idempotency, row, sql`FROM (${made(p)}) AS made`)
  })
  return (key, values) => {
    if (!key) return []
    const { now, ...own } = key
    return [record({ ...values, ...own, key_created_at: now })]
  }
}

/** The state of a key, and of its caller's keys. */
export interface KeyProbe {
  /** Whether an earlier request has recorded it. */
  is_known: 0 | 1
  /** Whether the caller has as many keys as allowed. */
  is_full: 0 | 1
}

/**
 * The statement that reads whether a batch could record a key, before a hint or a marker is written elsewhere. `most` is the
 * limit of a caller's keys. Only the batch decides.
 */
export function probeKey(key: IdempotencyKey | undefined, most: number): Prepared<KeyProbe> {
  return key ? stateOfKey({ ...placeOf(key), most }) : noKey()
}

const noKey = statement(() => sql<KeyProbe>`SELECT 0 AS is_known, 0 AS is_full`)

const stateOfKey = statement((p: Params<KeyPlace | 'most'>) => {
  const one = (isSome: SQL) => sql`EXISTS (SELECT 1 FROM idempotency WHERE ${isSameKey(p)} AND ${isSome})`
  const count = sql`coalesce((SELECT idempotency_keys FROM usage WHERE user_id = ${p.caller_id}), 0)`
  return sql<KeyProbe>`SELECT ${one(sql`created_at > ${expiry(p)}`)} AS is_known,
    ${count} - ${one(sql`created_at <= ${expiry(p)}`)} >= ${p.most} AS is_full`
})

/** Whether a key is known, by `probeKey`. @throws LIMIT_REACHED (idempotency_keys) when it is not, and there is no room */
export function isKnown([probe]: readonly KeyProbe[]): boolean {
  if (probe?.is_known) return true
  if (probe?.is_full) throw limitReached('idempotency_keys')
  return false
}

/**
 * The statement that deletes a key that has expired, or whose caller has been erased since. It precedes the recorder's statement in
 * a batch.
 */
export function dropExpiredKey(key: IdempotencyKey | undefined): Prepared[] {
  return key ? [dropExpired(placeOf(key))] : []
}

const dropExpired = statement(
  (p: Params<KeyPlace>) => sql`DELETE FROM idempotency WHERE ${isSameKey(p)} AND created_at <= ${expiry(p)}`,
)

const { request_hash, made_id } = getTableColumns(idempotency)
const found = { request_hash, made_id }

const keyAlive = statement(
  (p: Params<KeyPlace>) =>
    sql<
      RowOf<typeof found>
    >`SELECT ${columnsOf(found)} FROM idempotency WHERE ${isSameKey(p)} AND created_at > ${expiry(p)}`,
)

async function findKey(db: Database, key: IdempotencyKey): Promise<string | undefined> {
  const [row] = await db.read(keyAlive(placeOf(key)))
  if (row && row.request_hash !== key.request_hash) throw keyReused()
  return row?.made_id
}

/** The parameters that find a key, and decide whether it has expired. */
type KeyPlace = 'caller_id' | 'key' | 'expired_at'

function placeOf({ caller_id, key, now }: IdempotencyKey): Record<KeyPlace, Bindable> {
  return { caller_id, key, expired_at: now - KEY_LIFETIME_SECONDS }
}

function isSameKey({ caller_id, key }: Params<KeyPlace>): SQL {
  return sql`caller_id = ${caller_id} AND key = ${key}`
}

/** SQL: the time in Unix seconds such that keys created by then have expired. */
function expiry({ expired_at, caller_id }: Params<KeyPlace>): SQL {
  return sql`max(${expired_at}, ${erasedUntil(caller_id)})`
}

/** Binds the key that a caller sent to its request. `request` has everything that makes the request differ from others. */
export async function idempotencyKeyOf(
  caller_id: string,
  key: string | undefined,
  request: unknown,
  now: number,
): Promise<IdempotencyKey | undefined> {
  if (key === undefined) return undefined
  const bytes = new TextEncoder().encode(JSON.stringify(request))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return { caller_id, key, request_hash: base64url.encode(hash), now }
}

/** A hash of the caller and the key, for a row that names no user. */
export async function hashOfKey({
  caller_id,
  key,
}: Pick<IdempotencyKey, 'caller_id' | 'key'>): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([caller_id, key]))
  return base64(await crypto.subtle.digest('SHA-256', bytes))
}

/** The error of a key that came with another request. */
export function keyReused(): ApiError {
  return new ApiError('IDEMPOTENCY_KEY_REUSED', {
    detail: 'This Idempotency-Key came with another request. Use a new key for each new request.',
  })
}
