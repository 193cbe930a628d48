import type { RequestContext } from '../context.ts'
import { newestVersions } from './version-record.ts'
import { readWithVersions } from './versions.ts'

/** As many versions as an asset carries when it is asked for. */
const SHOWN = 10

/** An asset that the caller may read, with its ten newest versions. @throws ASSET_NOT_FOUND */
export function readAsset(ctx: RequestContext, id: string): ReturnType<typeof readWithVersions> {
  return readWithVersions(ctx, id, newestVersions(id, SHOWN, ctx.user_id))
}
