import { sql } from 'drizzle-orm'
import { assetVariants, gameAssets } from '../../platform/db/schema.ts'
import { assignments, insert, type Params, type Prepared, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { changesOfVersion } from '../assets/served.ts'
import { type Completed, isCompleted } from './row.ts'

const insertVariant = statement((p: Completed & Params<'user_id' | 'now'>) => {
  const variant = {
    asset_id: sql`asset_id`,
    version: sql`version`,
    platform: sql`platform`,
    size_bytes: sql`size_bytes`,
    mime_type: sql`mime_type`,
    object_key: sql`id`,
    checksum_sha256: sql`checksum_sha256`,
    created_at: createdAt(p.now, p.user_id),
  }
  return insert(assetVariants, variant, sql`FROM uploads WHERE ${isCompleted(p)}`)
})

const changeAsset = statement((p: Completed & Params<'now'>) => {
  const version = sql`(SELECT version FROM uploads WHERE id = ${p.id})`
  return sql`UPDATE game_assets SET ${assignments(gameAssets, changesOfVersion(version, p.now))}
    WHERE id = (SELECT asset_id FROM uploads WHERE ${isCompleted(p)})`
})

/** The statements by which a completed upload adds a variant to its version. They follow the one that completes the upload, in its batch. */
export function addVariant(
  completed: Parameters<typeof insertVariant>[0] & Parameters<typeof changeAsset>[0],
): Prepared[] {
  return [insertVariant(completed), changeAsset(completed)]
}
