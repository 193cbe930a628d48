import { type SQL, sql } from 'drizzle-orm'
import { base64url } from 'jose'
import { ApiError, unavailable } from '../errors.ts'
import { type Database, UniqueViolation } from './database.ts'
import { createdAt, erasedUntil } from './marks.ts'

/** A caller's Idempotency-Key together with a hash of the request that it came with. */
export interface IdempotencyKey {
  caller_id: string
  key: string
  request_hash: string
  /** When the request came, in Unix seconds. */
  now: number
}

/**
 * The key that a caller sent, bound to the request that it came with: whatever tells one request from another.
 * Undefined when none was sent.
 */
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

/** How long a key is remembered, in seconds. */
export const KEY_LIFETIME_SECONDS = 24 * 60 * 60

interface Creation<Made> {
  /** Writes, in one batch that carries its own conditions; nothing when one of them did not hold. */
  create: () => Promise<Made | undefined>
  /** The thing that an earlier request with the same key made, as it stands now. */
  replay: (made_id: string) => Promise<Made>
  /** Why `make` wrote nothing; nothing when the reason has gone since. */
  explain: () => Promise<ApiError | undefined>
}

/**
 * Makes a thing once for each key, however many requests bring it, now or within 24 hours (decisions,
 * "Conventions"). Without a key it makes a thing each time. Either way nothing is checked before the write: it
 * is tried, and only when it did not happen does a second trip find out why.
 *
 * @throws IDEMPOTENCY_KEY_REUSED when the key came with another request; what `found` and `why` answer.
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
    // A batch that failed brought no bookmark, so a replica might not know yet what it met.
    db.usePrimary()
    const earlier = key && (await findKey(db, key))
    if (earlier) return foundOrForgotten(db, key, earlier, creation)
    if (made instanceof ApiError) throw made
    const reason = await creation.explain()
    if (reason) throw reason
    return undefined
  })
}

/** What the key made; nothing when the key has been forgotten meanwhile, with what it made, as erasing a user does. */
async function foundOrForgotten<Made>(
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

/** Repeats a conditional write whose refusal turned out to have no reason any more: someone else was between. */
export async function retryOnConflict<Answer>(attempt: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let tries = 0; tries < 5; tries++) {
    const answer = await attempt()
    if (answer !== undefined) return answer
  }
  throw unavailable('Too much is changing here at once. Try again.')
}

/**
 * Binds a key to what the batch has made: `made` selects its id, and nothing when nothing was made, which leaves
 * the key free. The batch opens the caller's account before, where keys are counted.
 */
export function recordKey(key: IdempotencyKey | undefined, made: SQL): SQL[] {
  if (!key) return []
  return [
    sql`INSERT INTO idempotency (caller_id, key, request_hash, made_id, created_at)
      SELECT ${key.caller_id}, ${key.key}, ${key.request_hash}, made.id, ${createdAt(key.now, key.caller_id)} FROM (${made}) AS made`,
  ]
}

/** Makes room for a key that was used more than 24 hours ago, or by somebody who has been erased since; to stand early in the batch. */
export function dropExpiredKey(key: IdempotencyKey | undefined): SQL[] {
  if (!key) return []
  return [
    sql`DELETE FROM idempotency
      WHERE caller_id = ${key.caller_id} AND key = ${key.key} AND created_at <= max(${key.now - KEY_LIFETIME_SECONDS}, ${erasedUntil(key.caller_id)})`,
  ]
}

async function findKey(db: Database, key: IdempotencyKey): Promise<string | undefined> {
  const [row] = await db.all<{ request_hash: string; made_id: string }>(
    sql`SELECT request_hash, made_id FROM idempotency
      WHERE caller_id = ${key.caller_id} AND key = ${key.key} AND created_at > max(${key.now - KEY_LIFETIME_SECONDS}, ${erasedUntil(key.caller_id)})`,
  )
  if (row && row.request_hash !== key.request_hash)
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', {
      detail: 'This Idempotency-Key came with another request. Use a new key for each new request.',
    })
  return row?.made_id
}
