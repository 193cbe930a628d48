import { sql } from 'drizzle-orm'
import { noPreview } from '../../features/previews/remove.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { asList, type ComparedPage, type Finding, PAGE, type ReconcileContext, whyNotMarked } from './page.ts'
import { presenceOf, rowsAnswered } from './presence.ts'

/** An asset of a page. `object_key` is null when it has no preview to compare. */
interface PreviewRow {
  id: string
  owner_id: string
  object_key: string | null
}

/**
 * Compares the next assets with their previews. A repair first removes previews of existing assets from the deletion queue, and
 * then looks for the objects. An asset whose preview is missing loses it: the owner sees this, gets the quota back, and may set
 * another one. Each write repeats the conditions of the read.
 */
export async function comparePreviews(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const isComparable = sql`purging = 0 AND ${isNotErased}`
  const rows = await db.read(
    sql<PreviewRow>`SELECT id, owner_id, iif(${isComparable}, preview_key, NULL) AS object_key FROM game_assets
      WHERE id > ${ctx.after} ORDER BY id LIMIT ${PAGE}`,
  )
  const compared = rows.filter(({ object_key }) => object_key !== null)
  const isQueued = sql`object_key IN (SELECT preview_key FROM json_each(${asList(compared.map(({ id }) => id))})
    CROSS JOIN game_assets ON game_assets.id = value WHERE purging = 0)`
  const queued: { object_key: string }[] = ctx.isRepair
    ? await db.write(sql`DELETE FROM garbage WHERE ${isQueued} RETURNING object_key`)
    : await db.read(sql`SELECT object_key FROM garbage WHERE ${isQueued}`)
  const presence = await presenceOf(
    ctx,
    compared.flatMap(({ object_key }) => object_key ?? []),
  )
  const answered = rowsAnswered(rows, presence)
  const missing = answered.filter(({ object_key }) => object_key !== null && presence.missing.has(object_key))
  const refused = whyNotMarked(missing.length, compared.length, ctx.acceptMissing)
  const repaired = new Set<string>()
  if (ctx.isRepair && refused === undefined && missing.length > 0) {
    const removed = await db.write(
      sql<{ id: string }>`UPDATE game_assets SET ${assignments(gameAssets, noPreview)}
        WHERE (id, preview_key) IN (SELECT value ->> 'id', value ->> 'object_key' FROM json_each(${asList(missing)}))
          AND ${isComparable} RETURNING id`,
    )
    for (const { id } of removed) repaired.add(id)
  }
  const byKey = new Map(answered.map((row) => [row.object_key, row]))
  const found: Finding[] = [
    ...queued.flatMap(({ object_key }): Finding[] => {
      const row = byKey.get(object_key)
      return row ? [{ problem: 'content_is_queued', ...named(row), is_repaired: ctx.isRepair }] : []
    }),
    ...missing.map(
      (row): Finding => ({ problem: 'content_is_missing', ...named(row), is_repaired: repaired.has(row.id) }),
    ),
  ]
  const isLast = rows.length < PAGE && answered.length === rows.length
  return {
    looked_at: answered.length,
    next: isLast ? null : (answered.at(-1)?.id ?? ctx.after),
    found,
    ...(ctx.isRepair && refused !== undefined && { refused }),
  }
}

function named({ id, owner_id, object_key }: PreviewRow) {
  return { id, owner_id, object_key: object_key ?? '', detail: 'the preview of an asset' }
}
