import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions } from '../../platform/db/revision.ts'
import { uploads } from '../../platform/db/schema.ts'
import { assignments, type Params, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { isTaken, nameError } from '../assets/name.ts'
import { type VersionRow, versionLimitError } from '../assets/row.ts'
import { variantError, variantsOf } from '../assets/variants.ts'
import { mustBeChecked } from './content-kinds.ts'
import { inspect } from './inspect.ts'
import {
  existingUpload,
  isOpen,
  type OwnUpload,
  partColumns,
  rejectExpired,
  rejectFailed,
  type UploadAndTarget,
  type UploadRow,
  uploadAndTarget,
  waitsForVerdict,
} from './row.ts'
import type { CompleteUpload } from './schema.ts'
import { canTake, markCompleted, markFailed } from './transitions.ts'

/** The body and the If-Match of a request that completes an upload. */
export interface Completion extends CompleteUpload {
  /** Replaces the revisions that the start of an upload for an existing file or asset expected. */
  expected?: ExpectedRevisions
}

const isCompleting = (p: OwnUpload) => sql`id = ${p.id} AND owner_id = ${p.user_id} AND state = 'completing'`

/** Marks an open upload as completing. */
const begin = statement(
  (p: OwnUpload & Params<'now'>) => sql`UPDATE uploads SET state = 'completing'
    WHERE id = ${p.id} AND owner_id = ${p.user_id} AND state = 'open' AND expires_at > ${p.now} AND ${isNotErased}`,
)

/** Shows a pending file as processing. */
const beginFile = statement(
  (p: OwnUpload) => sql`UPDATE files SET processing_state = 'processing', revision = revision + 1
    WHERE processing_state = 'pending' AND id = (SELECT file_id FROM uploads WHERE ${isCompleting(p)})`,
)

/**
 * Compares what has arrived with what was declared, and makes it a file's content or an asset's next version
 * (docs/conformance.md#uploads). Two trips: the first marks the upload as completing and reads it, the second writes
 * the outcome in one batch. Repeated and concurrent completions, also after an interrupted one, have the same outcome
 * and answer. Content that has to be checked waits for its verdict (docs/content-check.md): then the returned upload is
 * still waiting.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_INCOMPLETE, UPLOAD_MISMATCH, UPLOAD_REJECTED, PRECONDITION_FAILED,
 * ASSET_NOT_FOUND, VERSION_NOT_FOUND, VARIANT_NOT_FOUND, DUPLICATE_PLATFORM, DUPLICATE_ASSET_NAME,
 * LIMIT_REACHED (assets, public_assets, versions, all_versions, variants)
 */
export async function completeUpload(
  ctx: RequestContext,
  id: string,
  given: Completion = {},
): Promise<UploadAndTarget> {
  const values = { id, user_id: ctx.user_id, now: seconds(ctx) }
  const rows = await ctx.db.write({
    begun: begin(values),
    file_begun: beginFile(values),
    ...uploadAndTarget(values),
  })
  const begun = existingUpload(rows)
  if (isAccepted(begun)) return withItsVersion(begun)
  const expected = expectedOf(begun, given)
  await rejectImpossible(ctx, begun, expected)

  const inspection = await inspect(ctx, begun, given.parts)
  if (inspection.outcome === 'missing') return reopen(ctx, id, inspection.detail)
  if (inspection.outcome === 'mismatch') {
    const ended = await markFailed(ctx, id, 'UPLOAD_MISMATCH', inspection.failure)
    rejectFailed(ended.upload)
    return withItsVersion(ended)
  }
  return finish(ctx, begun, expected, given.name)
}

const isUnchecked = (p: OwnUpload) => sql`${isCompleting(p)} AND check_state IS NULL`

const revertFile = statement(
  (p: OwnUpload) => sql`UPDATE files SET processing_state = 'pending', revision = revision + 1
    WHERE processing_state = 'processing' AND id = (SELECT file_id FROM uploads WHERE ${isUnchecked(p)})`,
)

const revert = statement((p: OwnUpload) => sql`UPDATE uploads SET state = 'open' WHERE ${isUnchecked(p)}`)

/**
 * Ends a completion that has found no object: reverts `completing` to `open` and the file to `pending`, unless the content is
 * being checked. Returns the upload if another completion has accepted it meanwhile.
 *
 * @throws UPLOAD_INCOMPLETE, UPLOAD_NOT_FOUND, or the error of a failed upload
 */
export async function reopen(ctx: RequestContext, id: string, detail: string): Promise<UploadAndTarget> {
  const own = { id, user_id: ctx.user_id }
  const statements = { file_reverted: revertFile(own), reverted: revert(own), ...uploadAndTarget(own) }
  const now = existingUpload(await ctx.db.write(statements))
  if (isAccepted(now)) return withItsVersion(now)
  rejectFailed(now.upload)
  throw new ApiError('UPLOAD_INCOMPLETE', { detail })
}

/** Completes an upload whose object is as declared, or has the object checked first. */
function finish(
  ctx: RequestContext,
  begun: UploadAndTarget,
  expected: ExpectedRevisions,
  name: string | undefined,
): Promise<UploadAndTarget> {
  let found = begun
  return retryOnConflict(async () => {
    found = mustBeChecked(ctx, found)
      ? await beginCheck(ctx, found.upload, expected, name)
      : await markCompleted(ctx, begun.upload, { name, expected })
    if (isAccepted(found)) return withItsVersion(found)
    await rejectImpossible(ctx, found, expected)
    return undefined
  })
}

/** How long after the completion the job asks the checker, if the request's own message has not, in seconds. */
const FIRST_PAUSE = MINUTE

type Held = 'now' | 'check_next_at' | 'expires_at' | 'name' | 'expected' | 'max_versions'

const hold = statement((p: OwnUpload & Params<Held>) => {
  const changes = {
    state: 'completing' as const,
    check_state: 'waiting' as const,
    check_began_at: p.now,
    check_next_at: p.check_next_at,
    expires_at: sql`max(expires_at, ${p.expires_at})`,
    ...partColumns([]),
    name: sql`coalesce(${p.name}, name)`,
    expected_revisions: p.expected,
  }
  const isFree = sql`(${p.name} IS NULL OR NOT ${isTaken(p.name, p.user_id)})`
  return sql`UPDATE uploads SET ${assignments(uploads, changes)}
    WHERE ${isOpen(p)} AND check_state IS NULL AND ${isFree} AND ${canTake(p)}`
})

/**
 * Holds arrived content until its verdict, and stores the completion's name and revisions, with which the verdict completes
 * the upload. Content that can't be completed is not checked. Returns the rows: the upload waits, or has ended, or the
 * condition of a completion did not hold.
 *
 * @throws UPLOAD_NOT_FOUND, DUPLICATE_ASSET_NAME
 */
async function beginCheck(
  ctx: RequestContext,
  { id, asset_type, name: first_name }: UploadRow,
  expected: ExpectedRevisions,
  given_name: string | undefined,
): Promise<UploadAndTarget> {
  const { db, user_id, config } = ctx
  const now = seconds(ctx)
  const check_next_at = now + FIRST_PAUSE
  // Only a new asset gets a name.
  const name = asset_type === null ? null : (given_name ?? first_name)
  const values = {
    id,
    user_id,
    now,
    check_next_at,
    expires_at: check_next_at + config.UPLOAD_TTL,
    name,
    expected: listOfRevisions(expected),
    max_versions: config.MAX_VERSIONS_PER_ASSET,
  }
  const rows = await db.write({
    held: hold(values),
    file_begun: beginFile(values),
    ...uploadAndTarget(values),
  })
  const found = existingUpload(rows)
  if (waitsForVerdict(found.upload)) ctx.check?.asked.add(id)
  const hasNotBegun = found.upload.check_state === null && found.upload.state === 'completing'
  const error = name !== null && hasNotBegun ? await nameError(ctx, name) : undefined
  if (error) throw error
  return found
}

/** Whether the client is done: the upload is completed, or waits for its verdict. */
function isAccepted({ upload }: UploadAndTarget): boolean {
  return upload.state === 'completed' || waitsForVerdict(upload)
}

/**
 * Rejects an upload that can't be completed, whatever has arrived. An upload for an asset that has been purged, or for a version that
 * has been deleted, is marked as failed.
 *
 * @throws UPLOAD_MISMATCH, UPLOAD_REJECTED, UPLOAD_EXPIRED, ASSET_NOT_FOUND, VERSION_NOT_FOUND, DUPLICATE_PLATFORM,
 * LIMIT_REACHED (versions, variants), PRECONDITION_FAILED
 */
export async function rejectImpossible(
  ctx: RequestContext,
  { upload, file, asset, version }: UploadAndTarget,
  expected: ExpectedRevisions,
): Promise<void> {
  rejectFailed(upload)
  rejectExpired(upload, ctx)
  if (asset && asset.deleted_at !== null)
    throw new ApiError('ASSET_NOT_FOUND', {
      detail: 'The asset is in its trash. Restore it and complete the upload again, or abort.',
    })
  if (upload.asset_id !== null && !asset) {
    const failure = 'The asset has been deleted permanently.'
    rejectFailed((await markFailed(ctx, upload.id, 'ASSET_NOT_FOUND', failure)).upload)
  }
  if (upload.version !== null && !version) {
    const failure = 'The version has been deleted.'
    rejectFailed((await markFailed(ctx, upload.id, 'VERSION_NOT_FOUND', failure)).upload)
  }
  const full = version
    ? variantError(version, upload.platform)
    : asset && versionLimitError(asset, ctx.config)
  if (full) throw full
  const target = file ?? asset
  if (target && expected && !expected.includes(target.revision))
    throw new ApiError('PRECONDITION_FAILED', {
      detail: file
        ? 'The file has changed since this upload was started. Read the file again, and complete with its ETag in If-Match to replace its content, or abort.'
        : 'The asset has changed since this upload was started. Read the asset again, and complete with its ETag in If-Match to add the version, or abort.',
    })
}

/** The revisions at which an existing file or asset may get the content: those of the completion, or else those of the start. */
export function expectedOf(
  { upload }: Pick<UploadAndTarget, 'upload'>,
  { expected }: Completion = {},
): ExpectedRevisions {
  const isForExisting = upload.upload_type === 'file' ? upload.replaces === 1 : upload.asset_type === null
  if (!isForExisting) return null
  if (expected !== undefined) return expected
  return upload.expected_revisions === null ? null : JSON.parse(upload.expected_revisions)
}

/**
 * Returns an accepted upload.
 *
 * @throws ASSET_NOT_FOUND when the upload's asset has been purged since its completion, VERSION_NOT_FOUND when the version
 * has been deleted, VARIANT_NOT_FOUND when the variant has
 */
function withItsVersion(found: UploadAndTarget): UploadAndTarget {
  const { id, state, upload_type, version } = found.upload
  if (state === 'completed' && upload_type === 'game_asset' && !found.version)
    throw found.asset
      ? new ApiError('VERSION_NOT_FOUND', { detail: 'The version of this upload was deleted.' })
      : new ApiError('ASSET_NOT_FOUND')
  const isThere = (one: VersionRow) => variantsOf(one).some(({ object_key }) => object_key === id)
  if (state === 'completed' && version !== null && found.version && !isThere(found.version))
    throw new ApiError('VARIANT_NOT_FOUND', { detail: 'The variant of this upload was deleted.' })
  return found
}
