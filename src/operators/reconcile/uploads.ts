import { sql } from 'drizzle-orm'
import { seconds } from '../../platform/context.ts'
import { type ComparedPage, PAGE, type ReconcileContext } from './page.ts'
import { presenceOf, rowsAnswered } from './presence.ts'

interface OpenUpload {
  object_key: string
  owner_id: string
  is_multipart: 0 | 1
  expires_at: number
}

/**
 * Finds open uploads whose content has arrived. A restore reopens uploads that were completed since, and completing them
 * again ends them. Uploads that wait for a verdict are excluded. Nothing is repaired, because only the client knows whether
 * an upload was to be completed.
 */
export async function findArrived(ctx: ReconcileContext): Promise<ComparedPage> {
  const rows = await ctx.databases.whole(ctx.database).read(
    sql<OpenUpload>`SELECT id AS object_key, owner_id, multipart_id IS NOT NULL AS is_multipart, expires_at FROM uploads
      WHERE id > ${ctx.after} AND state IN ('open', 'completing') AND check_state IS NULL ORDER BY id LIMIT ${PAGE}`,
  )
  const presence = await presenceOf(
    ctx,
    rows.map(({ object_key }) => object_key),
  )
  const answered = rowsAnswered(rows, presence)
  const arrived = answered.filter(({ object_key }) => !presence.missing.has(object_key))
  const isLast = rows.length < PAGE && answered.length === rows.length
  return {
    looked_at: answered.length,
    next: isLast ? null : (answered.at(-1)?.object_key ?? ctx.after),
    found: arrived.map(({ object_key, owner_id, is_multipart, expires_at }) => ({
      problem: 'upload_has_arrived',
      id: object_key,
      owner_id,
      detail: `${is_multipart ? 'in parts, ' : ''}may be completed for ${Math.max(0, expires_at - seconds(ctx))} s`,
      is_repaired: false,
    })),
  }
}
