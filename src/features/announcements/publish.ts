import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { announcements } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'
import { base64 } from '../../platform/lib/base64.ts'
import { DAY } from '../../platform/lib/time-units.ts'
import { keepAnnouncements } from './known.ts'
import {
  type AnnouncementRow,
  announcementColumns,
  listOf,
  nextVersion,
  raiseVersion,
  wholeList,
} from './row.ts'
import type { PublishAnnouncement } from './schema.ts'

/**
 * Announces to all users (docs/conformance.md#announcements). Every inbox takes the announcement in when its user looks next.
 * With a key it does so once, as long as the announcement is in force.
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
  const key_hash = key && (await hashOf(key))
  const row = {
    id: newId(ctx.user_id),
    number: nextVersion(now_ms),
    type,
    data: JSON.stringify(data),
    expires_at,
    created_at: now,
    key_hash: key_hash ?? null,
    request_hash: key?.request_hash ?? null,
  }
  const isRoom = sql`(SELECT count(*) FROM announcements) < ${config.MAX_ANNOUNCEMENTS}`
  const [version, rows, , [made], , [earlier]] = await databases.first.send([
    ...wholeList(now),
    sql`DELETE FROM announcements WHERE expires_at <= ${now}`,
    sql<AnnouncementRow>`${insert(announcements, row, sql`FROM announcement_list WHERE one = 1 AND ${isRoom}`)}
        ON CONFLICT (key_hash) DO NOTHING RETURNING ${announcementColumns}`,
    raiseVersion(now_ms),
    sql<AnnouncementRow>`SELECT ${announcementColumns} FROM announcements WHERE key_hash = ${key_hash ?? null}`,
  ])
  if (made) {
    const list = listOf(version, [...rows, made])
    keepAnnouncements(ctx, { ...list, version: made.number })
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

/** A hash of the publisher and the key, so that the row names no user. */
async function hashOf({ caller_id, key }: IdempotencyKey): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([caller_id, key]))
  return base64(await crypto.subtle.digest('SHA-256', bytes))
}
