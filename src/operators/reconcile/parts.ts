import { type SQL, sql } from 'drizzle-orm'
import { assetsOf, filesOf, type Owners } from '../../features/content/owned-rows.ts'
import { LARGE_BYTES } from '../../features/quota/kinds.ts'
import { fileTypes, gameAssetTypes } from '../../platform/db/enumerations.ts'

/** SQL: the contents of each asset of these owners, as versions: the first that has the content. */
export function contentsOf(owners: Owners): SQL {
  return sql`FROM (${assetsOf(owners, ['id', 'type'])}) AS asset
    CROSS JOIN asset_versions AS version ON version.asset_id = asset.id
    WHERE NOT EXISTS (SELECT 1 FROM asset_versions AS earlier WHERE earlier.object_key = version.object_key
      AND substr(earlier.asset_id, 21, 3) = substr(version.asset_id, 21, 3)
      AND earlier.asset_id = version.asset_id AND earlier.version < version.version)`
}

/** SQL: `usage.parts` of one owner, counted, with the kinds in the order of `contentKinds`. */
export function partsOf(one: Owners): SQL {
  const files = sumsOf(fileTypes, 'asset_type', 'charged_bytes')
  const versions = sumsOf(gameAssetTypes, 'asset.type', 'version.size_bytes')
  return sql`json_patch(json_patch((SELECT ${files} FROM (${filesOf(one, ['asset_type', 'charged_bytes'])})),
      (SELECT ${versions} ${contentsOf(one)})),
    (SELECT json_object('preview', coalesce(sum(preview_bytes), 0)) FROM (${assetsOf(one, ['preview_bytes'])})))`
}

/** SQL: an object with the sum of a column for each of these kinds. */
function sumsOf(kinds: readonly string[], of: string, bytes: string): SQL {
  const members = kinds.map((kind) => `'${kind}', coalesce(sum(iif(${of} = '${kind}', ${bytes}, 0)), 0)`)
  return sql.raw(`json_object(${members.join(', ')})`)
}

/** SQL: a SELECT of the rows that these owners should have in `large_versions`: each content of an asset with its newest version. */
function largeVersionsOf(owners: Owners): SQL {
  return sql`SELECT asset.owner_id, newest.size_bytes, newest.asset_id, newest.object_key, newest.version, newest.id
    FROM (${assetsOf(owners, ['id', 'owner_id'])}) AS asset CROSS JOIN asset_versions AS newest ON newest.asset_id = asset.id
    WHERE newest.size_bytes >= ${LARGE_BYTES} AND NOT EXISTS (SELECT 1 FROM asset_versions AS later
      WHERE later.object_key = newest.object_key AND substr(later.asset_id, 21, 3) = substr(newest.asset_id, 21, 3)
        AND later.asset_id = newest.asset_id AND later.version > newest.version)`
}

/** SQL: whether a row of `large_versions` has another version than the newest of its asset with its content. */
const isWrong = sql`version_id IS NOT (SELECT newest.id FROM asset_versions AS newest
    CROSS JOIN game_assets AS asset ON asset.id = newest.asset_id
  WHERE newest.object_key = large_versions.object_key
    AND substr(newest.asset_id, 21, 3) = substr(large_versions.asset_id, 21, 3)
    AND newest.asset_id = large_versions.asset_id AND newest.size_bytes = large_versions.size_bytes
    AND newest.version = large_versions.version AND asset.owner_id = large_versions.owner_id
    AND NOT EXISTS (SELECT 1 FROM asset_versions AS later WHERE later.object_key = newest.object_key
      AND substr(later.asset_id, 21, 3) = substr(newest.asset_id, 21, 3) AND later.asset_id = newest.asset_id
      AND later.version > newest.version))`

/** The statement that finds the owners of wrong and of missing rows of `large_versions`. */
export function wronglyListed(owners: Owners): SQL<{ user_id: string }> {
  return sql`SELECT owner_id AS user_id FROM ${owners.from} large_versions WHERE owner_id = ${owners.id} AND ${isWrong}
    UNION ALL SELECT owner_id FROM (${largeVersionsOf(owners)} AND NOT EXISTS (SELECT 1 FROM large_versions AS listed
      WHERE listed.owner_id = asset.owner_id AND listed.size_bytes = newest.size_bytes
        AND listed.asset_id = newest.asset_id AND listed.object_key = newest.object_key))`
}

/** The statement that removes wrong rows of `large_versions`. `users`: a SELECT of their owners. */
export function unlistWrong(users: SQL): SQL {
  return sql`DELETE FROM large_versions WHERE owner_id IN (${users}) AND ${isWrong}`
}

/** The statement that adds missing rows to `large_versions`. */
export function listMissing(owners: Owners): SQL {
  return sql`INSERT INTO large_versions (owner_id, size_bytes, asset_id, object_key, version, version_id)
    ${largeVersionsOf(owners)} ON CONFLICT DO NOTHING`
}
