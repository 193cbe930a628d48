import { type LaterContext, seconds } from '../../platform/context.ts'
import { KnownList } from '../../platform/lib/known-list.ts'
import { type Announcements, listOf, wholeList } from './row.ts'

/** The announcements that this isolate knows. */
export const knownAnnouncements = new KnownList(async (ctx: LaterContext): Promise<Announcements> => {
  const [version, rows] = await ctx.databases.first.send(wholeList(seconds(ctx)))
  return listOf(version, rows)
})
