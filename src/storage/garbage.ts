import { type SQL, sql } from 'drizzle-orm'

/**
 * The statement that puts the objects of those uploads on the garbage list, to stand in the batch that ends them: a
 * URL that may still be used could create an object again, and the list knows until when. A trigger
 * (`garbage_after_insert_count`) says so from the life of a URL and `now` (Unix seconds), and counts the key with its owner's open uploads until then.
 */
export function enqueueDeletion(which: SQL, now: number): SQL {
  return sql`INSERT INTO garbage (object_key, writable_until, multipart_id, given_up_at)
    SELECT id, expires_at, multipart_id, ${now} FROM uploads WHERE ${which}
    ON CONFLICT (object_key) DO NOTHING`
}
