import { type SQL, sql } from 'drizzle-orm'
import { isContent } from '../../features/assets/variants.ts'
import { presenceOf, rowsAnswered, takenFromQueue } from './content.ts'
import { asList, type ComparedPage, type Finding, PAGE, type ReconcileContext } from './page.ts'

/** A content of an asset: that of a version, whose `variant` is empty, or that of one of its variants, for the platform `variant`. */
export interface ContentRow {
  asset_id: string
  version: number
  variant: string
  /** The id of the version. */
  id: string
  owner_id: string
  object_key: string
  /** Whether the asset is neither being purged nor erased. */
  is_comparable: 0 | 1
}

/**
 * Reads the next contents of assets, up to `limit`: those for which a condition holds. It is in terms of `content`, a row with the
 * columns that versions and variants have.
 */
export function nextContents(
  { databases, database, after }: Pick<ReconcileContext, 'databases' | 'database' | 'after'>,
  condition: SQL,
  limit: number,
): Promise<ContentRow[]> {
  const [asset_id = '', version = '0', variant = ''] = after.split(' ')
  const position = sql`${asset_id}, ${Number(version)}`
  const columns = sql`made.id, asset.owner_id, content.object_key, asset.purging = 0
    AND asset.created_at > coalesce((SELECT until FROM erasures WHERE user_id = asset.owner_id), -1) AS is_comparable`
  const of = sql`CROSS JOIN asset_versions AS made ON made.asset_id = content.asset_id AND made.version = content.version
    CROSS JOIN game_assets AS asset ON asset.id = content.asset_id WHERE ${condition} AND`
  return databases.whole(database).read(
    sql<ContentRow>`SELECT content.asset_id AS asset_id, content.version AS version, '' AS variant, ${columns} FROM asset_versions AS content
        ${of} (content.asset_id, content.version) > (${position})
      UNION ALL SELECT content.asset_id, content.version, content.platform, ${columns} FROM asset_variants AS content
        ${of} (content.asset_id, content.version, content.platform) > (${position}, ${variant})
      ORDER BY asset_id, version, variant LIMIT ${limit}`,
  )
}

/** The `after` of the page that follows this content. */
export function positionAt({ asset_id, version, variant }: ContentRow): string {
  return `${asset_id} ${version} ${variant}`
}

/**
 * Compares the next contents of assets, of versions and of variants, with the objects. A repair first removes content of existing
 * versions, in their own partition, from the deletion queue. A content whose object is missing is only reported, because versions
 * never change.
 */
export async function compareVersions(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const rows = await nextContents(ctx, sql`true`, PAGE)
  const compared = rows.map((row) => ({ ...row, object_key: row.is_comparable ? row.object_key : null }))
  const keys = compared.flatMap(({ object_key }) => object_key ?? [])
  const isQueued = sql`object_key IN (SELECT value FROM json_each(${asList(new Set(keys))}))
    AND ${isContent(sql`content.object_key = garbage.object_key
      AND substr(content.asset_id, 21, 3) = substr(garbage.object_key, 21, 3)`)}`
  const taken = await takenFromQueue(ctx, db, isQueued)
  const presence = await presenceOf(ctx, keys)
  const answered = rows.slice(0, rowsAnswered(compared, presence).length)
  const byKey = new Map(answered.map((row) => [row.object_key, row]))
  const missing = answered.filter(
    ({ object_key, is_comparable }) => is_comparable === 1 && presence.missing.has(object_key),
  )
  const found: Finding[] = [
    ...taken.flatMap(({ object_key }): Finding[] => {
      const row = byKey.get(object_key)
      return row ? [{ problem: 'content_is_queued', ...named(row), is_repaired: ctx.isRepair }] : []
    }),
    ...missing.map((row): Finding => ({ problem: 'content_is_missing', ...named(row), is_repaired: false })),
  ]
  const isLast = rows.length < PAGE && answered.length === rows.length
  const last = answered.at(-1)
  return { looked_at: answered.length, next: isLast ? null : last ? positionAt(last) : ctx.after, found }
}

function named({ asset_id, version, variant, id, owner_id, object_key }: ContentRow) {
  const of = `version ${version} of the asset ${asset_id}`
  return { id, owner_id, object_key, detail: variant === '' ? of : `the variant ${variant} of ${of}` }
}
