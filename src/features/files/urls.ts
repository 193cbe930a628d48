import type { RequestContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { isReady, signedUrl, whyNotReady } from './read.ts'
import type { UrlOfFile } from './schema.ts'
import { visibleTo } from './tree/visibility.ts'
import { pathIn, pathsTo } from './tree/walk.ts'

/**
 * Signs URLs to download the content of files, in the order of their ids: for each, the URL or the code of the error that
 * `downloadUrl` throws. From the primaries: what an owner has just made private has no URL for others.
 *
 * @throws UNAVAILABLE, also when one of several databases does not answer
 */
export async function downloadUrls(ctx: RequestContext, ids: readonly string[]): Promise<UrlOfFile[]> {
  const wanted = [...new Set(ids)].filter(isId).map((id) => ({ id }))
  const rows = await readByIds(ctx.databases, wanted, (some) =>
    pathsTo({ ids: JSON.stringify(some.map(({ id }) => id)) }),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return Promise.all(
    ids.map(async (id) => {
      const item = visibleTo(pathIn(byId, id), ctx.user_id)?.item
      if (!item) return { id, code: 'FILE_NOT_FOUND' }
      return isReady(item) ? { id, ...(await signedUrl(ctx, item)) } : { id, code: whyNotReady(item) }
    }),
  )
}
