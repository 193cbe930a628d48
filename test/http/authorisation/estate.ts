import { env } from 'cloudflare:workers'
import { afterAll } from 'vitest'
import { everyDatabase } from '../../support/databases.ts'
import { signUp, type User } from '../../support/user.ts'

const tables = [
  'SELECT * FROM files WHERE owner_id = ?1',
  'SELECT * FROM uploads WHERE owner_id = ?1',
  'SELECT * FROM shares WHERE owner_id = ?1',
  // Without what the job writes when its alarm rings: 45 seconds after a favorite, which may be in the midst of a test.
  'SELECT *, NULL AS favorites, NULL AS recounts FROM game_assets WHERE owner_id = ?1',
  'SELECT versions.* FROM asset_versions AS versions JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = ?1',
  'SELECT variants.* FROM asset_variants AS variants JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = ?1',
  'SELECT channels.* FROM asset_channels AS channels JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = ?1',
  // A refused request may have opened an account; as long as there is nothing in it, nobody can tell.
  `SELECT * FROM usage WHERE user_id = ?1
    AND (used_bytes > 0 OR items > 0 OR assets > 0 OR open_uploads > 0 OR favorites > 0 OR mutes > 0
      OR limit_bytes IS NOT NULL)`,
  'SELECT * FROM idempotency WHERE caller_id = ?1',
  'SELECT * FROM erasures WHERE user_id = ?1',
  'SELECT * FROM profiles WHERE user_id = ?1',
  'SELECT * FROM favorites WHERE user_id = ?1',
  'SELECT * FROM reports WHERE reporter_id = ?1',
  'SELECT * FROM decisions WHERE owner_id = ?1',
  'SELECT * FROM appeals WHERE user_id = ?1',
  'SELECT * FROM mutes WHERE user_id = ?1',
]

/** Everything that a user has: their rows, their inbox as it stands, and their saves. Two of these are equal when nothing changed. */
export async function estateOf(user: User): Promise<unknown> {
  const [estate] = await estatesOf([user])
  return estate
}

/** The estates of several users. Objects that nobody has called are empty: reading would create them, which takes most of the time. */
export async function estatesOf(users: User[]): Promise<unknown[]> {
  const untouched = await nobodysObjects()
  return Promise.all(
    users.map((user) =>
      Promise.all([
        called.has(user.id) ? objectsOf(user) : untouched,
        ...everyDatabase.map((database) => rowsIn(database, user)),
      ]),
    ),
  )
}

/** The names of the objects that were called since this module was loaded: the ids of their users. */
const called = new Set<string>()

// Tests and the Worker share one isolate with this prototype.
const prototype: DurableObjectNamespace = Object.getPrototypeOf(env.INBOX)
const { getByName } = prototype
prototype.getByName = new Proxy(getByName, {
  apply(target, namespace, values: Parameters<typeof getByName>) {
    called.add(values[0])
    return Reflect.apply(target, namespace, values)
  },
})
afterAll(() => {
  prototype.getByName = getByName
})

let nothing: unknown

/** What is in the objects of a user whom nothing has happened to. */
async function nobodysObjects(): Promise<unknown> {
  if (nothing !== undefined) return nothing
  const nobody = await signUp('nobody')
  nothing = await objectsOf(nobody)
  if (!called.has(nobody.id)) throw new Error('calls of objects are not noted')
  return nothing
}

/** The inbox as it stands, and the saves. */
async function objectsOf(user: User): Promise<unknown> {
  const [inbox, saves, deleted] = await Promise.all([
    user.get('/notifications'),
    user.get('/saves'),
    user.get('/saves?deleted=true'),
  ])
  return [inbox.body, inbox.headers.get('X-Inbox-Seq'), saves.body, deleted.body]
}

async function rowsIn(database: D1Database, user: User): Promise<unknown[][]> {
  const results = await database.batch(tables.map((query) => database.prepare(query).bind(user.id)))
  return results.map(({ results }) => results)
}
