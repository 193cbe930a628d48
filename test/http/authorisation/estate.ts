import { everyDatabase } from '../../support/databases.ts'
import type { User } from '../../support/user.ts'

const tables = [
  'SELECT * FROM files WHERE owner_id = ?1',
  'SELECT * FROM uploads WHERE owner_id = ?1',
  'SELECT * FROM shares WHERE owner_id = ?1',
  'SELECT * FROM game_assets WHERE owner_id = ?1',
  'SELECT versions.* FROM asset_versions AS versions JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = ?1',
  // A refused request may have opened an account; as long as there is nothing in it, nobody can tell.
  `SELECT * FROM usage WHERE user_id = ?1
    AND (used_bytes > 0 OR items > 0 OR assets > 0 OR open_uploads > 0 OR limit_bytes IS NOT NULL)`,
  'SELECT * FROM idempotency WHERE caller_id = ?1',
  'SELECT * FROM erasures WHERE user_id = ?1',
]

/** Everything that a user has: their rows, their inbox as it stands, and their saves. Two of these are equal when nothing changed. */
export async function estateOf(user: User): Promise<unknown> {
  const [inbox, saves, deleted, ...rows] = await Promise.all([
    user.get('/notifications'),
    user.get('/saves'),
    user.get('/saves?deleted=true'),
    ...everyDatabase.map((database) => rowsIn(database, user)),
  ])
  return [rows, inbox.body, inbox.headers.get('X-Inbox-Seq'), saves.body, deleted.body]
}

async function rowsIn(database: D1Database, user: User): Promise<unknown[][]> {
  const results = await database.batch(tables.map((query) => database.prepare(query).bind(user.id)))
  return results.map(({ results }) => results)
}
