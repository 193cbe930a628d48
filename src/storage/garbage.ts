import { type SQL, sql } from 'drizzle-orm'
import { garbage } from '../db/schema.ts'
import { insert } from '../db/sql.ts'

/**
 * The statement that queues the objects of uploads for deletion, for the batch that ends the uploads. A signed URL may
 * still create such an object, also after its deletion. The trigger `garbage_after_insert_count` sets
 * `writable_until` from the life of a URL and `now` (Unix seconds), and counts the key with its owner's open uploads
 * until then.
 */
export function enqueueDeletion(which: SQL, now: number): SQL {
  const row = {
    object_key: sql`id`,
    writable_until: sql`expires_at`,
    multipart_id: sql`multipart_id`,
    enqueued_at: now,
  }
  return sql`${insert(garbage, row, sql`FROM uploads WHERE ${which}`)} ON CONFLICT (object_key) DO NOTHING`
}

/**
 * The statement that queues the content of files for deletion from `next_at` on (Unix seconds), for the batch that
 * removes or replaces it. The upload's URL may still create the object until the upload expires.
 */
export function enqueueContentDeletion(which: SQL, now: number, next_at = 0): SQL {
  const row = {
    object_key: sql`object_key`,
    writable_until: sql`coalesce((SELECT expires_at FROM uploads WHERE uploads.id = files.object_key), 0)`,
    next_at,
    enqueued_at: now,
  }
  return sql`${insert(garbage, row, sql`FROM files WHERE ${which} AND object_key IS NOT NULL`)}
    ON CONFLICT (object_key) DO NOTHING`
}
