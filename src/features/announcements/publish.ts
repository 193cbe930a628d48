import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { hashOfKey, type IdempotencyKey } from '../../platform/db/idempotency.ts'
import { isWholeNumber, type Page, type PageRequest, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { announcements } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'
import { DAY } from '../../platform/lib/units.ts'
import { knownAnnouncements } from './known.ts'
import {
  type AnnouncementRow,
  announcementColumns,
  listOf,
  nextVersion,
  raiseVersion,
  wholeList,
} from './row.ts'
import type { PublishAnnouncement } from './schema.ts'

type NewAnnouncement = 'id' | 'type' | 'data' | 'expires_at' | 'key_hash' | 'request_hash'

/** Inserts no row when the key has been used, or when there are as many as `max`. */
const insertIfRoom = statement((p: Params<NewAnnouncement | 'now' | 'now_ms' | 'max'>) => {
  const row = {
    id: p.id,
    number: nextVersion(p.now_ms),
    type: p.type,
    data: p.data,
    expires_at: p.expires_at,
    created_at: p.now,
    key_hash: p.key_hash,
    request_hash: p.request_hash,
  }
  const list = sql`FROM announcement_list WHERE one = 1 AND (SELECT count(*) FROM announcements) < ${p.max}`
  return sql<AnnouncementRow>`${insert(announcements, row, list)}
    ON CONFLICT (key_hash) DO NOTHING RETURNING ${announcementColumns}`
})

const removeExpired = statement(
  (p: Params<'now'>) => sql`DELETE FROM announcements WHERE expires_at <= ${p.now}`,
)

const withKey = statement(
  (p: Params<'key_hash'>) =>
    sql<AnnouncementRow>`SELECT ${announcementColumns} FROM announcements WHERE key_hash = ${p.key_hash}`,
)

/**
 * Announces to all users (docs/conformance.md#announcements). Each inbox adds the announcement when its user next lists, counts
 * or connects. A repetition with the same key announces nothing new while the announcement is in force.
 *
 * @throws VALIDATION_FAILED (expires_at), LIMIT_REACHED (announcements), IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function publishAnnouncement(
  ctx: RequestContext,
  { type, data, expires_at }: PublishAnnouncement,
  key?: IdempotencyKey,
): Promise<AnnouncementRow> {
  const { databases, config, now_ms } = ctx
  const now = seconds(ctx)
  checkExpiry(ctx, expires_at)
  const announcement = {
    id: newId(ctx.user_id),
    type,
    data: JSON.stringify(data),
    expires_at,
    key_hash: key ? await hashOfKey(key) : null,
    request_hash: key?.request_hash ?? null,
    now,
    now_ms,
    max: config.MAX_ANNOUNCEMENTS,
  }
  const [version, rows, , [made], , [earlier]] = await databases.first.send([
    ...wholeList(now),
    removeExpired(announcement),
    insertIfRoom(announcement),
    raiseVersion(announcement),
    withKey(announcement),
  ])
  if (made) {
    const list = listOf(version, [...rows, made])
    knownAnnouncements.keep(ctx, { ...list, version: made.number })
    return made
  }
  if (!earlier) throw limitReached('announcements')
  if (earlier.request_hash === key?.request_hash) return earlier
  throw new ApiError('IDEMPOTENCY_KEY_REUSED', {
    detail: 'This Idempotency-Key belongs to another announcement. Use a new key for each.',
  })
}

/** @throws VALIDATION_FAILED */
function checkExpiry(ctx: RequestContext, expires_at: number): void {
  const now = seconds(ctx)
  const latest = now + ctx.config.NOTIFICATION_RETENTION_DAYS * DAY
  if (now < expires_at && expires_at <= latest) return
  throw new ApiError('VALIDATION_FAILED', {
    detail: 'expires_at must be in the future, and within the time that notifications are kept.',
    errors: [
      { in: 'body', path: '/expires_at', message: `It is ${now} now; at most ${latest} is possible.` },
    ],
  })
}

const newest = statement(
  (p: Params<'after' | 'now' | 'limit'>) =>
    sql<AnnouncementRow>`SELECT ${announcementColumns} FROM announcements
      WHERE number < ${p.after} AND expires_at > ${p.now} ORDER BY number DESC LIMIT ${p.limit}`,
)

/** Lists the announcements that are in force, newest first. @throws INVALID_CURSOR */
export async function listAnnouncements(
  ctx: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<AnnouncementRow>> {
  const list = ['announcements']
  const after = positionAt(cursor, list, isWholeNumber)?.key ?? Number.MAX_SAFE_INTEGER
  const [rows] = await ctx.databases.first.send([newest({ after, now: seconds(ctx), limit: limit + 1 })])
  return pageOf(list, rows, limit, ({ number }) => number)
}

const end = statement(
  (p: Params<'id' | 'now'>) =>
    sql`DELETE FROM announcements WHERE id = ${p.id} AND expires_at > ${p.now} RETURNING id`,
)

/** Ends an announcement. Each inbox deletes it when its user next lists, counts or connects. @throws ANNOUNCEMENT_NOT_FOUND */
export async function deleteAnnouncement(ctx: RequestContext, id: string): Promise<void> {
  const { now_ms } = ctx
  const now = seconds(ctx)
  const [ended, , version, rows] = await ctx.databases.first.send([
    end({ id, now }),
    raiseVersion({ now_ms }),
    ...wholeList(now),
  ])
  knownAnnouncements.keep(ctx, listOf(version, rows))
  if (ended.length === 0) throw new ApiError('ANNOUNCEMENT_NOT_FOUND')
}
