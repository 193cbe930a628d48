import { type SQL, sql } from 'drizzle-orm'
import { assetsOf, filesOf, type Owners } from '../../features/content/owned-rows.ts'
import { LARGE_BYTES } from '../../features/quota/kinds.ts'
import { fileTypes, gameAssetTypes } from '../../platform/db/enumerations.ts'
import { joined } from '../../platform/db/sql.ts'

/** The tables of the contents of assets, with the platform of a row that `large_versions` has. */
const tables = [
  { table: sql`asset_versions`, platform: sql`NULL` },
  { table: sql`asset_variants`, platform: sql`newest.platform` },
]

/** SQL: whether no other version of the asset has the content of a row, among those for which a condition holds. */
function isOnly(table: SQL, row: SQL, condition: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${table} AS other WHERE other.object_key = ${row}.object_key
    AND substr(other.asset_id, 21, 3) = substr(${row}.asset_id, 21, 3) AND other.asset_id = ${row}.asset_id AND ${condition})`
}

/** SQL: the contents of each asset of these owners as `content`, each once. */
export function contentsOf(owners: Owners): SQL {
  const arms = tables.map(
    ({ table }) => sql`SELECT asset.type, first.size_bytes FROM (${assetsOf(owners, ['id', 'type'])}) AS asset
      CROSS JOIN ${table} AS first ON first.asset_id = asset.id
      WHERE ${isOnly(table, sql`first`, sql`other.version < first.version`)}`,
  )
  return sql`FROM (${joined(arms, ' UNION ALL ')}) AS content`
}

/** SQL: `usage.parts` of one owner, counted, with the kinds in the order of `contentKinds`. */
export function partsOf(one: Owners): SQL {
  const files = sumsOf(fileTypes, 'asset_type', 'charged_bytes')
  const versions = sumsOf(gameAssetTypes, 'content.type', 'content.size_bytes')
  return sql`json_patch(json_patch((SELECT ${files} FROM (${filesOf(one, ['asset_type', 'charged_bytes'])})),
      (SELECT ${versions} ${contentsOf(one)})),
    (SELECT json_object('preview', coalesce(sum(preview_bytes), 0)) FROM (${assetsOf(one, ['preview_bytes'])})))`
}

/** SQL: an object with the sum of a column for each of these kinds. */
function sumsOf(kinds: readonly string[], of: string, bytes: string): SQL {
  const members = kinds.map((kind) => `'${kind}', coalesce(sum(iif(${of} = '${kind}', ${bytes}, 0)), 0)`)
  return sql.raw(`json_object(${members.join(', ')})`)
}

/**
 * SQL: a SELECT of the rows that these owners should have in `large_versions`, and for which a condition holds: each content of an asset
 * with its newest version.
 */
function largeVersionsOf(owners: Owners, condition = sql`true`): SQL {
  const arms = tables.map(
    ({
      table,
      platform,
    }) => sql`SELECT asset.owner_id, newest.size_bytes, newest.asset_id, newest.object_key, newest.version, made.id, ${platform}
    FROM (${assetsOf(owners, ['id', 'owner_id'])}) AS asset CROSS JOIN ${table} AS newest ON newest.asset_id = asset.id
      CROSS JOIN asset_versions AS made ON made.asset_id = newest.asset_id AND made.version = newest.version
    WHERE newest.size_bytes >= ${LARGE_BYTES} AND ${isOnly(table, sql`newest`, isLater)} AND ${condition}`,
  )
  return joined(arms, ' UNION ALL ')
}

const isLater = sql`other.version > newest.version`

/** SQL: whether a row of `large_versions` is not that of the newest version of its asset with its content. */
const isWrong = joined(
  tables.map(
    ({
      table,
      platform,
    }) => sql`NOT EXISTS (SELECT 1 FROM ${table} AS newest CROSS JOIN game_assets AS asset ON asset.id = newest.asset_id
      CROSS JOIN asset_versions AS made ON made.asset_id = newest.asset_id AND made.version = newest.version
    WHERE newest.object_key = large_versions.object_key
      AND substr(newest.asset_id, 21, 3) = substr(large_versions.asset_id, 21, 3)
      AND newest.asset_id = large_versions.asset_id AND newest.size_bytes = large_versions.size_bytes
      AND newest.version = large_versions.version AND made.id = large_versions.version_id
      AND large_versions.platform IS ${platform} AND asset.owner_id = large_versions.owner_id
      AND ${isOnly(table, sql`newest`, isLater)})`,
  ),
  ' AND ',
)

/** The statement that finds the owners of wrong and of missing rows of `large_versions`. */
export function wronglyListed(owners: Owners): SQL<{ user_id: string }> {
  const isMissing = sql`NOT EXISTS (SELECT 1 FROM large_versions AS listed
      WHERE listed.owner_id = asset.owner_id AND listed.size_bytes = newest.size_bytes
        AND listed.asset_id = newest.asset_id AND listed.object_key = newest.object_key)`
  return sql`SELECT owner_id AS user_id FROM ${owners.from} large_versions WHERE owner_id = ${owners.id} AND ${isWrong}
    UNION ALL SELECT owner_id FROM (${largeVersionsOf(owners, isMissing)})`
}

/** The statement that removes wrong rows of `large_versions`. `users`: a SELECT of their owners. */
export function unlistWrong(users: SQL): SQL {
  return sql`DELETE FROM large_versions WHERE owner_id IN (${users}) AND ${isWrong}`
}

/** The statement that adds missing rows to `large_versions`. */
export function listMissing(owners: Owners): SQL {
  return sql`INSERT INTO large_versions (owner_id, size_bytes, asset_id, object_key, version, version_id, platform)
    ${largeVersionsOf(owners)} ON CONFLICT DO NOTHING`
}
