import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { keepAnnouncements } from './known.ts'
import { listOf, raiseVersion, wholeList } from './row.ts'

/** Ends an announcement: it goes from each inbox when its user looks next. @throws ANNOUNCEMENT_NOT_FOUND */
export async function deleteAnnouncement(ctx: RequestContext, id: string): Promise<void> {
  const now = seconds(ctx)
  const [ended, , version, rows] = await ctx.databases.first.send([
    sql`DELETE FROM announcements WHERE id = ${id} AND expires_at > ${now} RETURNING id`,
    raiseVersion(ctx.now_ms),
    ...wholeList(now),
  ])
  keepAnnouncements(ctx, listOf(version, rows))
  if (ended.length === 0) throw new ApiError('ANNOUNCEMENT_NOT_FOUND')
}
