import { sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions, revisionError } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments, type Params, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { canChange, readOwnVersion } from './access.ts'
import { changesOfVersion } from './served.ts'
import { type VariantRow, variantsOf } from './variants.ts'

type Deletion = Params<'id' | 'user_id' | 'expected' | 'version' | 'platform'>

const isVariant = (p: Params<'id' | 'version' | 'platform'>) =>
  sql`asset_id = ${p.id} AND version = ${p.version} AND platform = ${p.platform}`

/** Sets until when the trigger that releases the variant's content keeps the content. */
const keepContent = statement(
  (p: Deletion & Params<'kept_until'>) => sql`UPDATE game_assets SET kept_until = ${p.kept_until}
    WHERE ${canChange(p)} AND EXISTS (SELECT 1 FROM asset_variants WHERE ${isVariant(p)})`,
)

const removeVariant = statement(
  (p: Deletion) => sql<Pick<VariantRow, 'platform'>>`DELETE FROM asset_variants
    WHERE ${isVariant(p)} AND EXISTS (SELECT 1 FROM game_assets WHERE ${canChange(p)}) RETURNING platform`,
)

/** changes() counts the rows of the DELETE right before. */
const keepPlatform = statement(
  (p: Params<'id' | 'version' | 'platform'>) => sql`UPDATE asset_versions
    SET deleted_platforms = json_insert(deleted_platforms, '$[#]', ${p.platform})
    WHERE asset_id = ${p.id} AND version = ${p.version} AND changes() > 0`,
)

/** changes() counts the rows of the UPDATE right before. */
const changeAsset = statement((p: Params<'id' | 'version' | 'now'>) => {
  const changes = { kept_until: null, ...changesOfVersion(p.version, p.now) }
  return sql`UPDATE game_assets SET ${assignments(gameAssets, changes)} WHERE id = ${p.id} AND changes() > 0`
})

/**
 * Deletes a variant of a version of the caller's (docs/conformance.md#game-assets). Its platform is not free again in the
 * version. A trigger queues the content for deletion when no other version shares it.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, VARIANT_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteVariant(
  ctx: RequestContext,
  id: string,
  variant: { version: number; platform: string },
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id } = ctx
  const deletion = { id, user_id, ...variant, expected: listOfRevisions(expected) }
  const kept_until = keptUntil(ctx)
  const statements = {
    kept: kept_until === null ? [] : keepContent({ ...deletion, kept_until }),
    deleted: removeVariant(deletion),
    platform: keepPlatform(deletion),
    changed: changeAsset({ id, version: variant.version, now: seconds(ctx) }),
  }
  await retryOnConflict(async () => {
    const { deleted } = await writeAsset(ctx, db, statements, { asset_id: id })
    if (deleted.length > 0) return true
    const { asset, version } = await readOwnVersion(ctx, id, variant.version)
    if (!variantsOf(version).some(({ platform }) => platform === variant.platform))
      throw new ApiError('VARIANT_NOT_FOUND')
    const error = revisionError(asset, expected, 'asset')
    if (error) throw error
    return undefined
  })
}
