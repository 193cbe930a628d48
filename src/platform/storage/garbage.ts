import { type SQL, sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../context.ts'
import { isNotErased } from '../db/marks.ts'
import { garbage } from '../db/schema.ts'
import { insert } from '../db/sql.ts'

/**
 * The statement that queues the objects of uploads for deletion, for the batch that ends the uploads. `which` selects rows of
 * `uploads`. A signed URL may still create such an object, also after its deletion: the trigger `garbage_after_insert_count`
 * sets `writable_until` from the life of a URL and `now` (Unix seconds), and counts the key with its owner's open uploads
 * until then.
 */
export function enqueueDeletion(which: SQL, now: number | SQL): SQL {
  const row = {
    object_key: sql`id`,
    writable_until: sql`expires_at`,
    multipart_id: sql`multipart_id`,
    enqueued_at: now,
  }
  return sql`${insert(garbage, row, sql`FROM uploads WHERE ${which}`)} ON CONFLICT (object_key) DO NOTHING`
}

/**
 * The statement that queues the content of files for deletion from `next_at` on (Unix seconds), for the batch that removes or
 * replaces the content. `which` selects rows of `files`. With CONTENT_GRACE_DAYS the content stays that long, unless its owner
 * has been erased. The upload's URL may still create the object until the upload expires.
 */
export function enqueueContentDeletion(
  ctx: Pick<RequestContext, 'config' | 'now_ms'>,
  which: SQL,
  next_at = 0,
): SQL {
  const row = {
    object_key: sql`object_key`,
    writable_until: sql`coalesce((SELECT expires_at FROM uploads WHERE uploads.id = files.object_key), 0)`,
    ...timesOf(ctx, next_at, sql`size_bytes`),
  }
  return sql`${insert(garbage, row, sql`FROM files WHERE ${which} AND object_key IS NOT NULL`)}
    ON CONFLICT (object_key) DO NOTHING`
}

/**
 * The statement that queues the previews of assets for deletion, for the batch that removes or replaces the previews. `which`
 * selects rows of `game_assets`. With CONTENT_GRACE_DAYS the previews stay that long, unless their owner has been erased.
 */
export function enqueuePreviewDeletion(ctx: Pick<RequestContext, 'config' | 'now_ms'>, which: SQL): SQL {
  const row = { object_key: sql`preview_key`, writable_until: 0, ...timesOf(ctx, 0, sql`preview_bytes`) }
  return sql`${insert(garbage, row, sql`FROM game_assets WHERE ${which} AND preview_key IS NOT NULL`)}
    ON CONFLICT (object_key) DO NOTHING`
}

/**
 * When an object of so many bytes is deleted that a row of `files` or `game_assets` no longer names: from `next_at` on (Unix
 * seconds). A trigger takes the grace from what exceeds its limit.
 */
function timesOf(ctx: Pick<RequestContext, 'config' | 'now_ms'>, next_at: number, bytes: SQL) {
  const until = keptUntil(ctx)
  if (until === null) return { next_at, enqueued_at: seconds(ctx) }
  return {
    kept_until: sql`iif(${isNotErased}, ${until}, NULL)`,
    kept_for: sql`iif(${isNotErased}, owner_id, NULL)`,
    // Not before `created_at`, so that an erasure can tell older content from newer.
    enqueued_at: sql`max(${seconds(ctx)}, created_at)`,
    next_at: sql`iif(${isNotErased}, ${Math.max(next_at, until)}, ${next_at})`,
    kept_bytes: bytes,
    free_at: next_at,
  }
}

/** SQL: whether the object is not queued for deletion, so that a row may name it as its content. */
export function isNotGarbage(object_key: SQL | string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM garbage WHERE garbage.object_key = ${object_key})`
}
