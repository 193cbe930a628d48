import { sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions, revisionError } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments, type Params, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { canChange, ownAsset } from './access.ts'
import { versionDeleted } from './events.ts'
import { type VersionRow, versionOf } from './row.ts'
import { changesOfVersion } from './served.ts'

type Deletion = Params<'id' | 'user_id' | 'expected' | 'version'>

/** SQL: whether a version is one that a channel serves. */
const isInChannel = (p: Params<'id' | 'version'>) =>
  sql`EXISTS (SELECT 1 FROM asset_channels WHERE asset_id = ${p.id} AND version = ${p.version})`

const isDeletable = (p: Deletion) =>
  sql`${canChange(p)} AND current_version <> ${p.version} AND NOT ${isInChannel(p)}`
const isVersion = (p: Params<'id' | 'version'>) => sql`asset_id = ${p.id} AND version = ${p.version}`
const isDeleted = (p: Deletion) =>
  sql`${isVersion(p)} AND EXISTS (SELECT 1 FROM game_assets WHERE ${isDeletable(p)})`

const events = versionDeleted(isDeleted)

/** Sets until when the trigger that releases the version's content keeps the content. */
const keepContent = statement(
  (p: Deletion & Params<'kept_until'>) => sql`UPDATE game_assets SET kept_until = ${p.kept_until}
    WHERE ${isDeletable(p)} AND EXISTS (SELECT 1 FROM asset_versions WHERE ${isVersion(p)})`,
)

const removeVersion = statement(
  (p: Deletion) => sql<Pick<VersionRow, 'id'>>`DELETE FROM asset_versions WHERE ${isDeleted(p)} RETURNING id`,
)

/** changes() counts the rows of the DELETE right before. */
const countDeleted = statement((p: Params<'id' | 'version' | 'now'>) => {
  const changes = {
    kept_until: null,
    deleted_versions: sql`deleted_versions + 1`,
    ...changesOfVersion(p.version, p.now),
  }
  return sql`UPDATE game_assets SET ${assignments(gameAssets, changes)} WHERE id = ${p.id} AND changes() > 0`
})

/**
 * Deletes a version of an asset of the caller's, any but the current one and those that channels serve
 * (docs/conformance.md#game-assets). Its number is not used again. A trigger queues the content for deletion when no other version shares it.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, VERSION_IS_CURRENT, PRECONDITION_FAILED
 */
export async function deleteVersion(
  ctx: RequestContext,
  id: string,
  version: number,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const { db, user_id } = ctx
  const deletion = { id, user_id, version, expected: listOfRevisions(expected) }
  const kept_until = keptUntil(ctx)
  const statements = {
    events: events(ctx, deletion),
    kept: kept_until === null ? [] : keepContent({ ...deletion, kept_until }),
    deleted: removeVersion(deletion),
    changed: countDeleted({ id, version, now: seconds(ctx) }),
  }
  await retryOnConflict(async () => {
    const { deleted } = await writeAsset(ctx, db, statements, { asset_id: id })
    if (deleted.length > 0) return true
    const error = await whyNotDeleted(ctx, id, version, expected)
    if (error) throw error
    return undefined
  })
}

const inChannel = statement((p: Params<'id' | 'version'>) => sql`SELECT 1 WHERE ${isInChannel(p)}`)

/** Why no version was deleted, after nothing was; undefined when the reason is gone. */
async function whyNotDeleted(
  { db, user_id }: RequestContext,
  id: string,
  version: number,
  expected: ExpectedRevisions,
): Promise<ApiError | undefined> {
  const {
    assets: [asset],
    versions: [found],
    channels,
  } = await db.read({
    assets: ownAsset({ id, user_id }),
    versions: versionOf({ asset_id: id, version }),
    channels: inChannel({ id, version }),
  })
  if (!asset) return new ApiError('ASSET_NOT_FOUND')
  if (!found) return new ApiError('VERSION_NOT_FOUND')
  const error = revisionError(asset, expected, 'asset')
  if (error) return error
  return asset.current_version === version || channels.length > 0
    ? new ApiError('VERSION_IS_CURRENT')
    : undefined
}
