import { getTableColumns, sql } from 'drizzle-orm'
import type { PublicContext, RequestContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { files, profiles } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import { readFromHomes } from '../../platform/shards/homes.ts'
import { isTrashedForGrantee } from '../files/path.ts'
import type { Profile } from './schema.ts'

const columns = getTableColumns(profiles)
const { object_key, owner_id, mime_type, size_bytes } = getTableColumns(files)

/** A profile whose picture is shown. */
export interface ProfileRow extends RowOf<typeof columns>, RowOf<{ object_key: typeof object_key }> {}

/**
 * A profile as the API shows it (docs/conformance.md#profiles). `row` is undefined without a picture that is shown. The URL of
 * the picture is at the address that the client uses for the API: `origin`, that of the request.
 */
export function profileRecord(user_id: string, row: ProfileRow | undefined, origin: string): Profile {
  if (!row) return { user_id, picture_url: null, updated_at: null }
  const { picture_id, object_key, updated_at } = row
  return { user_id, picture_url: `${origin}/pictures/files/${picture_id}/${object_key}`, updated_at }
}

/**
 * SQL: whether `item`, a row of `files` that a profile names, is shown: live, ready and not blocked. Whether it is public
 * does not matter, because who chooses a picture shows it to everybody.
 */
const isShown = sql`item.asset_type = 'profile_pic' AND item.processing_state = 'ready' AND (${isTrashedForGrantee}) = 0`

/** The statement that reads the profiles of these users (a JSON list) whose picture is shown. */
export const shownProfiles = statement(
  (p: Params<'user_ids'>) => sql<ProfileRow>`SELECT ${columnsOf(columns, 'profiles')}, item.object_key
    FROM json_each(${p.user_ids}) AS wanted CROSS JOIN profiles ON profiles.user_id = wanted.value
    CROSS JOIN files AS item ON item.id = profiles.picture_id
    WHERE item.owner_id = profiles.user_id AND ${isShown}`,
)

/**
 * Reads the profiles of users, in the order of their ids; undefined for a user without a picture that is shown. From the
 * primaries: no profile has a picture that its owner or a moderator has just removed.
 *
 * @throws UNAVAILABLE
 */
export async function readProfiles(
  { databases }: RequestContext,
  user_ids: readonly string[],
): Promise<(ProfileRow | undefined)[]> {
  const rows = await readFromHomes(databases, new Set(user_ids), (some) =>
    shownProfiles({ user_ids: JSON.stringify(some) }),
  )
  const byUser = new Map(rows.map((row) => [row.user_id, row]))
  return user_ids.map((user_id) => byUser.get(user_id))
}

const pictureColumns = { owner_id, mime_type, size_bytes }

/** The columns of a file from which its picture is served. */
export interface PictureRow extends RowOf<typeof pictureColumns> {}

const shownPicture = statement(
  (
    p: Params<'file_id' | 'object_key'>,
  ) => sql<PictureRow>`SELECT ${columnsOf(pictureColumns, 'item')} FROM files AS item
    CROSS JOIN profiles ON profiles.user_id = item.owner_id AND profiles.picture_id = item.id
    WHERE item.id = ${p.file_id} AND item.object_key = ${p.object_key} AND ${isShown}`,
)

/**
 * Reads the picture of a file with this content; undefined unless it is its owner's profile picture and shown. From the primary:
 * a picture that its owner or a moderator has removed is not served again.
 *
 * @throws UNAVAILABLE
 */
export async function findPicture(
  { databases }: PublicContext,
  file_id: string,
  object_key: string,
): Promise<PictureRow | undefined> {
  if (!isId(file_id) || !isId(object_key)) return undefined
  const [picture] = await databases.of(file_id).read(shownPicture({ file_id, object_key }))
  return picture
}
