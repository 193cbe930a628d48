import { sql } from 'drizzle-orm'
import { asList, type ComparedPage, type Finding, PAGE, type ReconcileContext } from './page.ts'
import { presenceOf, rowsAnswered } from './presence.ts'

interface VersionRow {
  asset_id: string
  version: number
  id: string
  owner_id: string
  object_key: string | null
}

/**
 * Compares the next versions of assets with their content. A repair first removes content of existing versions, in their own
 * partition, from the deletion queue. A version whose object is missing is only reported, because versions never change.
 */
export async function compareVersions(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const [after_asset = '', after_version = '0'] = ctx.after.split(' ')
  const isComparable = sql`purging = 0
    AND game_assets.created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1)`
  const rows = await db.read(
    sql<VersionRow>`SELECT asset_id, version, asset_versions.id AS id, owner_id,
        iif(${isComparable}, object_key, NULL) AS object_key
      FROM asset_versions CROSS JOIN game_assets ON game_assets.id = asset_id
      WHERE (asset_id, version) > (${after_asset}, ${Number(after_version)}) ORDER BY asset_id, version LIMIT ${PAGE}`,
  )
  const keys = rows.flatMap(({ object_key }) => object_key ?? [])
  const isQueued = sql`object_key IN (SELECT value FROM json_each(${asList(new Set(keys))}))
    AND EXISTS (SELECT 1 FROM asset_versions WHERE asset_versions.object_key = garbage.object_key
      AND substr(asset_id, 21, 3) = substr(garbage.object_key, 21, 3))`
  const taken: { object_key: string }[] = ctx.isRepair
    ? await db.write(sql`DELETE FROM garbage WHERE ${isQueued} RETURNING object_key`)
    : await db.read(sql`SELECT object_key FROM garbage WHERE ${isQueued}`)
  const presence = await presenceOf(ctx, keys)
  const answered = rowsAnswered(rows, presence)
  const byKey = new Map(answered.map((row) => [row.object_key, row]))
  const missing = answered.filter(({ object_key }) => object_key !== null && presence.missing.has(object_key))
  const found: Finding[] = [
    ...taken.flatMap(({ object_key }): Finding[] => {
      const row = byKey.get(object_key)
      return row ? [{ problem: 'content_is_queued', ...named(row), is_repaired: ctx.isRepair }] : []
    }),
    ...missing.map((row): Finding => ({ problem: 'content_is_missing', ...named(row), is_repaired: false })),
  ]
  const isLast = rows.length < PAGE && answered.length === rows.length
  const last = answered.at(-1)
  const next = isLast ? null : last ? `${last.asset_id} ${last.version}` : ctx.after
  return { looked_at: answered.length, next, found }
}

function named({ asset_id, version, id, owner_id, object_key }: VersionRow) {
  return { id, owner_id, object_key: object_key ?? '', detail: `version ${version} of the asset ${asset_id}` }
}
