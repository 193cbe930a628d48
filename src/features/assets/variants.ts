import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { assetVariants, type assetVersions } from '../../platform/db/schema.ts'
import { insert, joined, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'

/** The most variants of a version. Deleted ones count. */
const MAX_VARIANTS = 8

const { asset_id, version, ...columns } = getTableColumns(assetVariants)

/** The columns of a variant besides those of its version. */
export interface VariantRow extends RowOf<typeof columns> {}

/** A version with its variants, as a JSON array (`variantsOfVersion`). */
type WithVariants = Pick<typeof assetVersions.$inferSelect, 'platform' | 'deleted_platforms'> & {
  variants: string
}

const names = Object.keys(columns)

/** SQL: the variants of a row of `asset_versions`, as the text of a JSON array: json_object() takes it for no array. */
export const variantsOfVersion = sql`('' || (SELECT json_group_array(json_object(${joined(
  names.map((name) => sql.raw(`'${name}', variant.${name}`)),
  ', ',
)})) FROM asset_variants AS variant
  WHERE variant.asset_id = asset_versions.asset_id AND variant.version = asset_versions.version))`

/** The variants of a version, by platform. */
export function variantsOf({ variants }: Pick<WithVariants, 'variants'>): VariantRow[] {
  const rows: VariantRow[] = JSON.parse(variants)
  return rows.sort((one, other) => (one.platform < other.platform ? -1 : 1))
}

/** The content of a version for a platform: its variant, or its own if that is for all or for this platform. Its own without a platform. */
export function contentFor<Version extends Pick<WithVariants, 'platform' | 'variants'>>(
  version: Version,
  platform: string | undefined,
): Version | VariantRow | undefined {
  if (platform === undefined) return version
  const variant = variantsOf(version).find((one) => one.platform === platform)
  return variant ?? (version.platform === null || version.platform === platform ? version : undefined)
}

/**
 * SQL: whether an asset has a content, of a version or of a variant, for which a condition holds. The condition is in terms of
 * `content`, a row with the columns that both tables have.
 */
export function isContent(condition: SQL): SQL {
  return sql`(EXISTS (SELECT 1 FROM asset_versions AS content WHERE ${condition})
    OR EXISTS (SELECT 1 FROM asset_variants AS content WHERE ${condition}))`
}

/**
 * SQL: whether a version has variants with all of these contents: `object_keys` is a JSON array, or null. By `NOT IN`, the variants are read
 * once, by the version: all rollbacks of the asset may have these contents.
 */
export function hasVariants(of: { asset_id: SQL; version: SQL; object_keys: SQL }): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${of.object_keys}) AS wanted WHERE wanted.value NOT IN (
    SELECT variant.object_key FROM asset_variants AS variant
    WHERE variant.asset_id = ${of.asset_id} AND variant.version = ${of.version}))`
}

/** SQL: whether a version exists that can get a variant for a platform: the platform is free, and there is room. */
export function canAddVariant(of: { asset_id: SQL; version: SQL; platform: SQL }): SQL {
  const others = sql`FROM asset_variants AS other WHERE other.asset_id = ${of.asset_id} AND other.version = ${of.version}`
  return sql`EXISTS (SELECT 1 FROM asset_versions AS target
    WHERE target.asset_id = ${of.asset_id} AND target.version = ${of.version} AND target.platform IS NOT ${of.platform}
      AND instr(target.deleted_platforms, '"' || ${of.platform} || '"') = 0
      AND NOT EXISTS (SELECT 1 ${others} AND other.platform = ${of.platform})
      AND json_array_length(target.deleted_platforms) + (SELECT count(*) ${others}) < ${sql.raw(String(MAX_VARIANTS))})`
}

/** Why a version can't get a variant for a platform (`canAddVariant`): DUPLICATE_PLATFORM, LIMIT_REACHED; undefined when it can. */
export function variantError(target: WithVariants, platform: string | null): ApiError | undefined {
  const deleted: string[] = JSON.parse(target.deleted_platforms)
  const taken = [...variantsOf(target).map((variant) => variant.platform), ...deleted]
  if (platform !== null && [target.platform, ...taken].includes(platform))
    return new ApiError('DUPLICATE_PLATFORM')
  return taken.length < MAX_VARIANTS ? undefined : limitReached('variants')
}

/** The columns of the variants of a new version. `from`: a row with the columns of the variants that are copied. */
function copyOf(from: (column: string) => SQL) {
  return {
    asset_id: sql`made.asset_id`,
    version: sql`made.version`,
    platform: from('platform'),
    size_bytes: from('size_bytes'),
    mime_type: from('mime_type'),
    object_key: from('object_key'),
    checksum_sha256: from('checksum_sha256'),
    created_at: sql`made.created_at`,
  }
}

/**
 * The statement that gives a new version the variants of the version that it was made from, of the same database: that of its
 * branch's source or, of a rollback, `from_version`. `object_keys`: a JSON array of the contents that it may share; null: all.
 */
export const copyVariants = statement((p: Params<'version_id' | 'from_version' | 'object_keys'>) => {
  const source = sql`FROM asset_versions AS made CROSS JOIN asset_variants AS old
      ON old.asset_id = coalesce(made.branched_from_asset_id, made.asset_id)
        AND old.version = coalesce(made.branched_from_version, ${p.from_version})
    WHERE made.id = ${p.version_id} AND (${p.object_keys} IS NULL OR old.object_key IN (SELECT value FROM json_each(${p.object_keys})))`
  return insert(
    assetVariants,
    copyOf((column) => sql.raw(`old.${column}`)),
    source,
  )
})

/** The statement that gives a new version the variants of a version of another database: a JSON array as of `variantsOfVersion`. */
export const insertVariants = statement((p: Params<'version_id' | 'variants'>) =>
  insert(
    assetVariants,
    copyOf((column) => sql.raw(`old.value ->> '${column}'`)),
    sql`FROM asset_versions AS made CROSS JOIN json_each(${p.variants}) AS old WHERE made.id = ${p.version_id}`,
  ),
)
