import { env } from 'cloudflare:test'

/** The newest migration's columns, filled for rows that a test needs by the thousand; triggers count them as ever. */
const siblings = (count: string) => `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
  INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
    object_key, created_at, updated_at)
  SELECT printf('%s-%07d', ?1, i), ?2, ?3, printf('name %07d', (i * 7919) % 1000003),
    CASE i % 5 WHEN 0 THEN 'folder' WHEN 1 THEN 'profile_pic' WHEN 2 THEN 'emote' WHEN 3 THEN 'chat_attachment' ELSE 'file' END,
    iif(i % 5 = 0, 0, i % 1000), iif(i % 5 = 0, NULL, 'text/plain'), iif(i % 5 = 0, NULL, 'ready'),
    iif(i % 5 = 0, NULL, printf('object-%s-%d', ?1, i)), 1700000000 + i / 3, 1700000000
  FROM n`

/** Puts `count` items of all types straight into the database, in one folder (or the root) of a user. */
export async function seedSiblings(owner_id: string, parent_id: string | null, count: number): Promise<void> {
  await openAccount(owner_id)
  await env.DB.prepare(siblings(String(Math.floor(count))))
    .bind(crypto.randomUUID(), owner_id, parent_id)
    .run()
}

/** Lets a user have as many items and bytes as a test needs. */
export async function openAccount(user_id: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_open_uploads)
     VALUES (?1, 1e15, 1e9, 1e9, 1e9)
     ON CONFLICT (user_id) DO UPDATE
     SET default_limit_bytes = 1e15, max_items = 1e9, max_assets = 1e9, max_open_uploads = 1e9`,
  )
    .bind(user_id)
    .run()
}
