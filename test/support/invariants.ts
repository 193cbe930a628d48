import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { homeOf } from './databases.ts'

const Item = z.object({ id: z.string(), parent_id: z.string().nullable(), asset_type: z.string() })
type Item = z.output<typeof Item>

/**
 * What must hold of a user's rows whatever has happened: the tree has no cycle and hangs together, every counter
 * equals a recount, records and uploads agree about who is ready, and versions have no gaps.
 */
export async function expectSound(user_id: string): Promise<void> {
  const home = homeOf(user_id)
  const [files, counted, told, torn, tornAssets] = await home.batch([
    home.prepare('SELECT id, parent_id, asset_type FROM files WHERE owner_id = ?').bind(user_id),
    home
      .prepare(
        `SELECT (SELECT count(*) FROM files WHERE owner_id = ?1) AS items,
        (SELECT coalesce(sum(size_bytes), 0) FROM files WHERE owner_id = ?1 AND processing_state = 'ready')
        + (SELECT coalesce(sum(size_bytes), 0) FROM uploads WHERE owner_id = ?1 AND state IN ('open', 'completing'))
        + (SELECT coalesce(sum(size_bytes), 0) FROM (SELECT DISTINCT asset_id, object_key, asset_versions.size_bytes
          FROM asset_versions JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = ?1)) AS used_bytes,
        (SELECT count(*) FROM game_assets WHERE owner_id = ?1) AS assets,
        (SELECT count(*) FROM uploads WHERE owner_id = ?1 AND state IN ('open', 'completing')) AS open_uploads,
        (SELECT count(*) FROM garbage WHERE owner_id = ?1) AS writable_keys,
        (SELECT count(*) FROM uploads WHERE owner_id = ?1 AND state IN ('completed', 'failed')) AS ended_uploads,
        (SELECT count(*) FROM game_assets WHERE owner_id = ?1 AND visibility = 'public' AND deleted_at IS NULL)
          AS public_assets,
        (SELECT count(*) FROM asset_versions JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = ?1)
          AS versions,
        (SELECT count(*) FROM idempotency WHERE caller_id = ?1) AS idempotency_keys`,
      )
      .bind(user_id),
    home
      .prepare(
        `SELECT items, used_bytes, assets, open_uploads, writable_keys, ended_uploads, public_assets, versions, idempotency_keys
      FROM usage WHERE user_id = ?`,
      )
      .bind(user_id),
    home
      .prepare(
        `SELECT uploads.id FROM uploads LEFT JOIN files ON files.id = uploads.file_id
      WHERE uploads.owner_id = ?1 AND upload_type = 'file' AND (files.id IS NULL
        OR (uploads.state = 'completed' AND (files.processing_state <> 'ready' OR (files.object_key <> uploads.id
          AND NOT EXISTS (SELECT 1 FROM uploads AS later WHERE later.id = files.object_key AND later.replaces = 1))))
        OR (uploads.state <> 'completed' AND files.object_key = uploads.id))
      UNION ALL
      SELECT files.id FROM files WHERE owner_id = ?1 AND processing_state IN ('pending', 'processing')
        AND NOT EXISTS (SELECT 1 FROM uploads WHERE file_id = files.id AND state IN ('open', 'completing'))
      UNION ALL
      SELECT object_key FROM garbage WHERE object_key IN (SELECT object_key FROM files WHERE owner_id = ?1)
      UNION ALL
      SELECT id FROM uploads WHERE owner_id = ?1 AND state IN ('completed', 'failed')
        AND (parts <> '{}' OR expected_revisions IS NOT NULL)`,
      )
      .bind(user_id),
    home
      .prepare(
        `SELECT uploads.id FROM uploads WHERE owner_id = ?1 AND upload_type = 'game_asset'
        AND (state = 'completed') <> (completion_id IS NOT NULL)
      UNION ALL
      SELECT game_assets.id FROM game_assets WHERE owner_id = ?1 AND purging = 0 AND current_version
        <> (SELECT count(*) FROM asset_versions WHERE asset_id = game_assets.id AND version <= current_version)
      UNION ALL
      SELECT garbage.object_key FROM garbage JOIN asset_versions USING (object_key)
        JOIN game_assets ON game_assets.id = asset_id WHERE game_assets.owner_id = ?1
        AND (is_version = 0 OR deleting = 1 OR substr(garbage.object_key, 21, 3) = substr(asset_id, 21, 3))`,
      )
      .bind(user_id),
  ])
  const counters = told?.results ?? []
  expect(counters, 'counters equal a recount').toEqual(counters.length > 0 ? counted?.results : [])
  expect(torn?.results, 'records and uploads agree').toEqual([])
  expect(tornAssets?.results, 'assets, versions and uploads agree').toEqual([])
  expectTree(z.array(Item).parse(files?.results))
}

function expectTree(items: Item[]): void {
  const byId = new Map(items.map((item) => [item.id, item]))
  for (const item of items) {
    const seen = new Set<string>()
    for (
      let at: Item | undefined = item;
      at;
      at = at.parent_id === null ? undefined : byId.get(at.parent_id)
    ) {
      expect(seen.has(at.id), `${item.id} is in a cycle`).toBe(false)
      seen.add(at.id)
      const parent = at.parent_id === null ? undefined : byId.get(at.parent_id)
      if (parent) expect(parent.asset_type, `what ${at.id} lies in`).toBe('folder')
    }
  }
}
