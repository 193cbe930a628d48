import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { Page, PageRequest } from '../../platform/db/keyset.ts'
import { keptStatements, type Rendered } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { type Window, windowsOver } from '../../platform/shards/pages.ts'
import { readable } from './access.ts'
import { beyond, type ListedAsset, listedColumns, newestOf, positionAfter } from './list.ts'
import { type AssetRow, assetWithId } from './row.ts'

/** Of an asset that users of more partitions have branched, every database is asked. */
const MAX_HINTS = 256

const keptBranches = keptStatements<ListedAsset>()

/**
 * Lists the branches of an asset that the caller may read, newest first: the listed ones and the caller's own. The page
 * is a merge of two indexes, so other users' private branches cost nothing. With several databases, a second trip asks
 * those that have branches.
 *
 * @throws ASSET_NOT_FOUND, INVALID_CURSOR
 */
export async function listBranches(
  ctx: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<AssetRow>> {
  const list = ['branches', id]
  const after = positionAfter(cursor, list)
  const isBranch = sql`branched_from_asset_id = ${sql.placeholder('id')} ${beyond(after)}`
  const page = keptBranches(
    'page',
    () => sql`SELECT ${listedColumns} FROM game_assets INDEXED BY branches_listed
        WHERE ${isBranch} AND is_listed = 1
      UNION ALL
      SELECT ${listedColumns} FROM game_assets INDEXED BY branches_unlisted
        WHERE ${isBranch} AND is_listed = 0 AND deleted_at IS NULL AND owner_id = ${sql.placeholder('user_id')}
      ORDER BY id DESC LIMIT ${sql.placeholder('limit')}`,
    { id, user_id: ctx.user_id, after, limit: limit + 1 },
  )
  return newestOf(list, await windowsOf(ctx, id, page, limit), limit)
}

async function windowsOf(
  { databases, user_id }: RequestContext,
  id: string,
  page: Rendered<ListedAsset>,
  limit: number,
): Promise<Window<ListedAsset>[]> {
  const db = databases.of(id)
  const hasMore = (rows: ListedAsset[]) => rows.length > limit
  db.usePrimary()
  if (databases.isOnly) {
    const { sources, rows } = await db.read({ sources: assetWithId(id), rows: page })
    if (!readable(sources[0], user_id)) throw new ApiError('ASSET_NOT_FOUND')
    return [{ rows, reached: hasMore(rows) ? rows.at(-1) : undefined }]
  }
  const { sources, hints } = await db.read({
    sources: assetWithId(id),
    hints: sql<{ partition: string }>`SELECT partition FROM branch_hints WHERE source_id = ${id}
      UNION SELECT substr(${id}, 21, 3) LIMIT ${MAX_HINTS + 1}`,
  })
  if (!readable(sources[0], user_id)) throw new ApiError('ASSET_NOT_FOUND')
  const partitions = hints.length > MAX_HINTS ? undefined : hints.map(({ partition }) => partition)
  return windowsOver(databases, page, { ...(partitions && { partitions }), hasMore })
}
