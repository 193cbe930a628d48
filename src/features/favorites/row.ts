import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { keptStatements, type Prepared } from '../../platform/db/sql.ts'
import { isReadable } from '../assets/access.ts'

const kept = keptStatements<{ id: string }>()

/** The statement that finds an asset, if the user may read it. */
export function readableAsset(asset_id: string, user_id: string): Prepared<{ id: string }> {
  return kept(
    'readable',
    (slot) =>
      sql`SELECT id FROM game_assets WHERE id = ${slot('asset_id')} AND ${isReadable(slot('user_id'))}`,
    { asset_id, user_id },
  )
}

/** Whether the user may read an asset, as the primary of its home decides. @throws UNAVAILABLE */
export async function isReadableBy(
  { databases, user_id }: Pick<RequestContext, 'databases' | 'user_id'>,
  asset_id: string,
): Promise<boolean> {
  if (!isId(asset_id)) return false
  const home = databases.of(asset_id)
  home.usePrimary()
  const [asset] = await home.read(readableAsset(asset_id, user_id))
  return asset !== undefined
}
