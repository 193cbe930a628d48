import { getTableColumns, sql } from 'drizzle-orm'
import { files, profiles } from '../../platform/db/schema.ts'
import { columnsOf, keptStatements, type Prepared, type RowOf } from '../../platform/db/sql.ts'
import { isTrashedForGrantee } from '../files/tree/visibility.ts'

const columns = getTableColumns(profiles)
const { object_key } = getTableColumns(files)

/** A profile whose picture is shown. */
export interface ProfileRow extends RowOf<typeof columns>, RowOf<{ object_key: typeof object_key }> {}

/**
 * SQL: whether `item`, a row of `files` that a profile names, is shown: live, ready and not blocked. Whether it is public
 * does not matter, because who chooses a picture shows it to everybody.
 */
export const isShown = sql`item.asset_type = 'profile_pic' AND item.processing_state = 'ready' AND (${isTrashedForGrantee}) = 0`

const kept = keptStatements<ProfileRow>()

/** The statement that reads the profiles of these users whose picture is shown. */
export function shownProfiles(user_ids: readonly string[]): Prepared<ProfileRow> {
  return kept(
    'profiles',
    (slot) => sql`SELECT ${columnsOf(columns, 'profiles')}, item.object_key
      FROM json_each(${slot('user_ids')}) AS wanted CROSS JOIN profiles ON profiles.user_id = wanted.value
      CROSS JOIN files AS item ON item.id = profiles.picture_id
      WHERE item.owner_id = profiles.user_id AND ${isShown}`,
    { user_ids: JSON.stringify(user_ids) },
  )
}
