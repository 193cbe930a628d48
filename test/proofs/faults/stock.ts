import { env } from 'cloudflare:test'
import { ensureUsageRow } from '../../../src/features/quota/usage.ts'
import type { RequestContext } from '../../../src/platform/context.ts'
import { newId } from '../../../src/platform/db/id.ts'
import { prepare } from '../../../src/platform/db/sql.ts'
import { homeOf } from '../../support/databases.ts'

/** What is put straight into the database and the bucket, so that hundreds of scenes are soon set; triggers count it. */
type Row = [statement: string, ...values: (string | number | null)[]]

async function put(work: RequestContext, rows: Row[], objects: string[]): Promise<void> {
  const home = homeOf(work.user_id)
  const account = prepare(ensureUsageRow(work))
  await Promise.all([
    home.batch([
      home.prepare(account.sql).bind(...account.params),
      ...rows.map(([statement, ...values]) => home.prepare(statement).bind(...values)),
    ]),
    ...objects.map((key) => env.BUCKET.put(key, 'xxx', { httpMetadata: { contentType: 'text/plain' } })),
  ])
}

const FILE = `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
  object_key, trashed_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1700000000, 1700000000)`

/**
 * The key of its content: no id, since it came by no upload, and the walk through the bucket knows objects by these. It has
 * the partition of its owner in the same place.
 */
export const contentOf = (id: string) => `${id}-stock`

/** A folder, or a ready file of three bytes; in the trash if it says so. */
interface Stocked {
  id: string
  name: string
  type: 'folder' | 'file' | 'profile_pic'
  parent?: { id: string }
  in_trash?: boolean
}

const types = { file: 'text/plain', profile_pic: 'image/png' }

/** Puts items into a user's tree, parents first. */
export async function stock(work: RequestContext, ...items: Stocked[]): Promise<void> {
  const rows = items.map(({ id, name, type, parent, in_trash }): Row => {
    const content: Row =
      type === 'folder' ? ['folder', 0, null, null, null] : [type, 3, types[type], 'ready', contentOf(id)]
    const trashed_at = in_trash ? work.now_ms : null
    return [FILE, id, work.user_id, parent?.id ?? null, name, ...content, trashed_at]
  })
  await put(
    work,
    rows,
    items.flatMap(({ id, type }) => (type === 'folder' ? [] : [contentOf(id)])),
  )
}

/** Puts a variant of a version into a user's account. */
export async function stockVariant(
  work: RequestContext,
  asset_id: string,
  version: number,
  platform: string,
): Promise<void> {
  const key = newId(work.user_id)
  const insert = `INSERT INTO asset_variants (asset_id, version, platform, size_bytes, mime_type, object_key, created_at)
    VALUES (?1, ?2, ?3, 3, 'text/plain', ?4, 1700000000)`
  await put(work, [[insert, asset_id, version, platform, key]], [key])
}

/** Puts an asset with two versions into a user's account. The keys of its content are ids: markers name them. */
export async function stockAsset(
  work: RequestContext,
  name: string,
  visibility: 'public' | 'private',
): Promise<{ id: string; name: string }> {
  const fresh = () => newId(work.user_id)
  const [id, ...keys] = [fresh(), fresh(), fresh()]
  await put(
    work,
    [
      [
        `INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
        VALUES (?1, ?2, 'world', ?3, lower(?3), ?4, 1700000000, 1700000000)`,
        ...[id, work.user_id, name, visibility],
      ],
      ...keys.map(
        (key, index): Row => [
          `INSERT INTO asset_versions (id, asset_id, version, size_bytes, mime_type, object_key, created_at)
          VALUES (?1, ?2, ?3, 3, 'text/plain', ?4, 1700000000)`,
          ...[fresh(), id, index + 1, key],
        ],
      ),
    ],
    keys,
  )
  return { id, name }
}
