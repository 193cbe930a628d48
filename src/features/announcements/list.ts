import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { type AnnouncementRow, announcementColumns } from './row.ts'
import type { ListAnnouncements } from './schema.ts'

const list = ['announcements']

/** Lists the announcements that are in force, newest first. @throws INVALID_CURSOR */
export async function listAnnouncements(
  ctx: RequestContext,
  { limit, cursor }: ListAnnouncements,
): Promise<Page<AnnouncementRow>> {
  const after = positionAt(cursor, list, isWholeNumber)
  const [rows] = await ctx.databases.first.send([
    sql<AnnouncementRow>`SELECT ${announcementColumns} FROM announcements
        WHERE number < ${after?.key ?? Number.MAX_SAFE_INTEGER} AND expires_at > ${seconds(ctx)}
        ORDER BY number DESC LIMIT ${limit + 1}`,
  ])
  return pageOf(list, rows, limit, ({ number }) => number)
}
