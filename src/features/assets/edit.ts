import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { type ExpectedRevisions, listOfRevisions } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { updatedAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { searchName } from '../../platform/lib/text.ts'
import { DAY } from '../../platform/lib/units.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { canChange, markRemoval, rejectWrite } from './access.ts'
import { assetPublished } from './events.ts'
import { orDuplicate } from './name.ts'
import { type AssetRow, assetColumns, pageColumns } from './row.ts'
import type { EditAsset } from './schema.ts'

/**
 * How long an asset has to be private before publishing it renews its place among the newest, in seconds. Made public again
 * sooner, it keeps its old `public_since`: nobody stays among the newest by switching to and fro.
 */
const SHORTEST_PAUSE = DAY

/** The values of the columns that a request changes. A column that stays as it is has null. */
function changesOf({ name, visibility, ...page }: EditAsset) {
  const search_name = name === undefined ? null : searchName(name)
  return { name: name ?? null, search_name, visibility: visibility ?? null, ...pageColumns(page) }
}

type Changes = ReturnType<typeof changesOf>
type EditParams = Params<'id' | 'user_id' | 'expected' | 'now' | keyof Changes>

interface Shape {
  /** The columns that change. */
  columns: string[]
  visibility: Changes['visibility']
}

/** SQL: the columns that an edit sets. An asset that was never public has no `private_since`. */
function changed({ columns, visibility }: Shape, p: EditParams) {
  const given = (column: keyof Changes) => (columns.includes(column) ? p[column] : undefined)
  const now = updatedAt(p.now)
  const isBrief = sql`private_since > ${now} - ${SHORTEST_PAUSE}`
  const public_since = sql`iif(visibility = 'public' OR ${isBrief}, public_since, ${now})`
  const private_since = sql`iif(visibility = 'public', ${now}, private_since)`
  return {
    name: given('name'),
    search_name: given('search_name'),
    visibility: given('visibility'),
    public_since: visibility === 'public' ? public_since : undefined,
    private_since: visibility === 'private' ? private_since : undefined,
    description: given('description'),
    tags: given('tags'),
    metadata: given('metadata'),
    listed: given('listed'),
    rating: given('rating'),
    revision: sql`revision + 1`,
    updated_at: now,
    // `satisfies` makes the compiler reject a change without its column here.
  } satisfies Record<keyof Changes, unknown> & Record<string, unknown>
}

const edit = perShape((shape: Shape) =>
  statement(
    (p: EditParams) => sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, changed(shape, p))}
      WHERE ${canChange(p)} RETURNING ${assetColumns}`,
  ),
)

const published = assetPublished(
  (p: Params<'id' | 'user_id' | 'expected'>) =>
    sql`${canChange(p)} AND visibility = 'private' AND blocked = 0`,
)

/**
 * Renames an asset of the caller's, or changes who may see it, or its page (docs/conformance.md#game-assets). Every
 * edit raises the revision, also one that sets what the asset has already.
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets), RATING_LOCKED, VALIDATION_FAILED
 */
export async function editAsset(
  ctx: RequestContext,
  id: string,
  change: EditAsset,
  expected: ExpectedRevisions = null,
): Promise<AssetRow> {
  const { db, user_id } = ctx
  const own = { id, user_id, expected: listOfRevisions(expected) }
  const changes = changesOf(change)
  const { visibility, listed } = changes
  const isNamed = ([name, value]: [string, unknown]) =>
    value !== null || (name === 'rating' && change.rating === null)
  const columns = Object.entries(changes)
    .filter(isNamed)
    .map(([name]) => name)
  const statements = {
    usage: ensureUsageRow(ctx),
    events: visibility === 'public' ? published(ctx, own) : [],
    edited: edit({ columns, visibility })({ ...own, ...changes, now: seconds(ctx) }),
  }
  const markFirst = visibility === 'private' || listed === 0 ? markRemoval(own) : undefined
  return retryOnConflict(async () => {
    const {
      edited: [asset],
    } = await orDuplicate(writeAsset(ctx, db, statements, { asset_id: id, markFirst })).catch(orKeepsRating)
    if (visibility === 'private' && asset && asset.preview_key !== null) ctx.ended.push(['asset', id])
    return asset ?? rejectWrite(ctx, id, expected)
  })
}

/** Says which member is wrong, when the trigger `game_assets_before_update_keep_rating` has refused to take a rating back. */
function orKeepsRating(error: unknown): never {
  if (!(error instanceof ApiError && error.code === 'VALIDATION_FAILED')) throw error
  const message = 'The asset has a rating, which can be changed and not taken back.'
  throw new ApiError('VALIDATION_FAILED', {
    detail: `rating: ${message}`,
    errors: [{ in: 'body', path: '/rating', message }],
    cause: error,
  })
}
