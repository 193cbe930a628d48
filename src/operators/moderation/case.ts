import { type SQL, sql } from 'drizzle-orm'
import type { Viewer } from '../../features/assets/access.ts'
import { signedUrl } from '../../features/assets/read.ts'
import { contentFor, variantsOfVersion } from '../../features/assets/variants.ts'
import { exists } from '../../features/files/path.ts'
import { findCase, insertCase } from '../../features/moderation/case.ts'
import { type DecisionWithAppeal, selectDecisions } from '../../features/moderation/read.ts'
import { type ReportRow, selectReports } from '../../features/moderation/row.ts'
import type { Target } from '../../features/moderation/schema.ts'
import {
  type FoundTarget,
  foundElsewhere,
  homeOf,
  ownersWatermark,
  readableTarget,
} from '../../features/moderation/target.ts'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { TargetType } from '../../platform/db/enumerations.ts'
import { newId } from '../../platform/db/id.ts'
import { type Params, perShape, statement } from '../../platform/db/sql.ts'
import { erasedUntil, isNotErased } from '../../platform/db/watermark.ts'
import { ApiError, unavailable } from '../../platform/errors.ts'
import type { SignedUrl } from '../../platform/storage/presign.ts'
import { type CaseRow, caseColumns, withNames } from './queue.ts'
import type { ContentReason } from './schema.ts'

/** How many reports of a case are shown, and how many earlier decisions about its owner. */
const [REPORTS, EARLIER] = [100, 20]

const caseById = statement(
  (p: Params<'id'>) => sql<CaseRow>`SELECT ${caseColumns} FROM cases AS found WHERE found.id = ${p.id}`,
)

/** A report with its reporter; null: erased. */
type ReportOfCase = ReportRow & { reporter_id: string | null }

const reportsOf = statement((p: Params<'id'>) =>
  selectReports<{ reporter_id: string | null }>(
    sql`report.case_id = ${p.id} ORDER BY report.created_at DESC, report.id DESC LIMIT ${REPORTS}`,
    sql`, report.reporter_id`,
  ),
)
const earlierOf = statement((p: Params<'id'>) =>
  selectDecisions(
    sql`decision.owner_id = (SELECT owner_id FROM cases WHERE id = ${p.id})
      ORDER BY decision.created_at DESC, decision.id DESC LIMIT ${EARLIER}`,
  ),
)

/** A case with its newest reports, and the last decisions about the same owner. */
export interface WholeCase {
  row: CaseRow
  reports: ReportOfCase[]
  earlier: DecisionWithAppeal[]
}

/** Reads a case with everything that a decision needs (docs/moderating.md). @throws CASE_NOT_FOUND, UNAVAILABLE */
export async function readCase(ctx: Pick<RequestContext, 'databases'>, case_id: string): Promise<WholeCase> {
  const {
    found: [found],
    reports,
    earlier,
  } = await ctx.databases.common.read({
    found: caseById({ id: case_id }),
    reports: reportsOf({ id: case_id }),
    earlier: earlierOf({ id: case_id }),
  })
  if (!found) throw new ApiError('CASE_NOT_FOUND')
  const [row = found] = await withNames(ctx, [found])
  return { row, reports, earlier }
}

type TargetParams = Params<'target_id' | Viewer | 'now'>

/** SQL by type: a SELECT of the owner of a thing that is there, whoever may see it. */
const presentTarget: Record<TargetType, (p: TargetParams) => SQL<Omit<FoundTarget, 'name'>>> = {
  asset: (p) =>
    sql`SELECT owner_id, ${ownersWatermark(sql`owner_id`)} FROM game_assets WHERE id = ${p.target_id} AND purging = 0 AND ${isNotErased}`,
  file: (p) =>
    sql`SELECT owner_id, ${ownersWatermark(sql`owner_id`)} FROM files WHERE id = ${p.target_id} AND ${exists(p.target_id)}`,
  user: (p) => sql`SELECT owner_id, erased_until FROM (${readableTarget.user(p)})`,
}

const present = {
  asset: statement(presentTarget.asset),
  file: statement(presentTarget.file),
  user: statement(presentTarget.user),
}

type OpenParams = TargetParams & Params<'id' | 'target_type' | 'owner_id' | 'erased_until'>

const opening = perShape(({ type, isHere }: { type: TargetType; isHere: boolean }) =>
  statement((p: OpenParams) => {
    const target = isHere ? sql`(${presentTarget[type](p)})` : sql`(${foundElsewhere(p)})`
    return insertCase(p.id, p, sql`FROM ${target} AS target WHERE true`)
  }),
)

const caseAbout = statement(
  (p: Params<'target_type' | 'target_id'>) =>
    sql<{
      id: string
    }>`SELECT id FROM cases WHERE target_type = ${p.target_type} AND target_id = ${p.target_id}`,
)

/**
 * Opens the case of a thing without a report, or finds it.
 *
 * @throws ASSET_NOT_FOUND, FILE_NOT_FOUND, CASE_NOT_FOUND (a user who has nothing here), UNAVAILABLE
 */
export async function openCase(
  ctx: RequestContext,
  target: Target,
): Promise<{ found: WholeCase; isNew: boolean }> {
  const { id, isNew } = await ensureCase(ctx, target)
  return { found: await readCase(ctx, id), isNew }
}

/** The id of the case of a thing, which is opened if it is not there. @throws as `openCase` */
export async function ensureCase(
  ctx: RequestContext,
  target: Target,
): Promise<{ id: string; isNew: boolean }> {
  const { databases } = ctx
  const { type: target_type, id: target_id } = target
  const isHere = databases.isSingle
  const values = { target_id, user_id: ctx.user_id, hidden_ratings: ctx.hidden_ratings, now: seconds(ctx) }
  const home = homeOf(databases, target)
  if (!isHere) home.usePrimary()
  const [found] = isHere ? [] : await home.read(present[target_type](values))
  const id = newId(ctx.user_id)
  const { about } = await databases.common.write({
    opened: opening({ type: target_type, isHere })({
      ...values,
      id,
      target_type,
      owner_id: found?.owner_id ?? null,
      erased_until: found?.erased_until ?? -1,
    }),
    about: caseAbout({ target_type, target_id }),
  })
  const [opened] = about
  if (!opened && found) throw unavailable('It took too long to look at the thing. Try again.')
  if (!opened) throw new ApiError(MISSING[target_type])
  return { id: opened.id, isNew: opened.id === id }
}

const MISSING = { asset: 'ASSET_NOT_FOUND', file: 'FILE_NOT_FOUND', user: 'CASE_NOT_FOUND' } as const

interface ContentRow {
  name: string
  object_key: string | null
  mime_type: string | null
  is_folder: 0 | 1
  /** Of a version; a file is for all, and has no variants. */
  platform: string | null
  variants: string
}

const contentOf = {
  asset: statement(
    (
      p: Params<'id' | 'version'>,
    ) => sql<ContentRow>`SELECT thing.name, object_key, mime_type, 0 AS is_folder, platform, ${variantsOfVersion} AS variants
      FROM game_assets AS thing
      LEFT JOIN asset_versions ON asset_id = thing.id AND version = coalesce(${p.version}, thing.served_version)
      WHERE thing.id = ${p.id} AND thing.purging = 0 AND thing.created_at > ${erasedUntil(sql`thing.owner_id`)}`,
  ),
  file: statement(
    (
      p: Params<'id'>,
    ) => sql<ContentRow>`SELECT name, iif(processing_state = 'ready', object_key, NULL) AS object_key, mime_type,
        asset_type = 'folder' AS is_folder, NULL AS platform, '[]' AS variants FROM files WHERE id = ${p.id} AND ${exists(p.id)}`,
  ),
}

/**
 * Signs a URL to download the content of a case's thing, also of what is private or blocked: of an asset any version, for any
 * platform; without one, that which others than its owner get.
 *
 * @throws CASE_NOT_FOUND, VALIDATION_FAILED (a user; a version or a platform of a file), ASSET_NOT_FOUND, FILE_NOT_FOUND,
 * VERSION_NOT_FOUND, VARIANT_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY
 */
export async function contentUrl(
  ctx: RequestContext,
  case_id: string,
  { version, platform }: Omit<ContentReason, 'reason'>,
): Promise<SignedUrl & { owner_id: string | null }> {
  const { target_type, target_id, owner_id } = await findCase(ctx, case_id)
  if (target_type === 'user')
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'A user has no content: open what they own.',
      errors: [{ in: 'path', path: '/id', message: 'must be the case of an asset or a file' }],
    })
  const ofAsset = version !== undefined ? '/version' : platform !== undefined ? '/platform' : undefined
  if (target_type === 'file' && ofAsset !== undefined)
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'A file has no versions.',
      errors: [{ in: 'body', path: ofAsset, message: 'must be left out: this is the case of a file' }],
    })
  const home = ctx.databases.of(target_id)
  home.usePrimary()
  const [found] = await home.read(contentOf[target_type]({ id: target_id, version: version ?? null }))
  if (!found) throw new ApiError(MISSING[target_type])
  const { name, object_key, mime_type, is_folder } = found
  if (is_folder) throw new ApiError('FILE_IS_FOLDER')
  if (object_key === null || mime_type === null)
    throw new ApiError(target_type === 'asset' ? 'VERSION_NOT_FOUND' : 'FILE_NOT_READY')
  const content = contentFor({ ...found, object_key, mime_type }, platform)
  if (!content) throw new ApiError('VARIANT_NOT_FOUND')
  return { ...(await signedUrl(ctx, name, content)), owner_id }
}
