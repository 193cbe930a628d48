import type { RequestContext } from '../../platform/context.ts'
import { readFromHomes } from '../../platform/shards/homes.ts'
import { type ProfileRow, shownProfiles } from './row.ts'

/**
 * Reads the profiles of users, in the order of their ids; undefined for a user without a picture that is shown. From the
 * primaries: a picture that its owner or a moderator has just taken away is in no profile.
 *
 * @throws UNAVAILABLE
 */
export async function readProfiles(
  { databases }: RequestContext,
  user_ids: readonly string[],
): Promise<(ProfileRow | undefined)[]> {
  const rows = await readFromHomes(databases, new Set(user_ids), shownProfiles)
  const byUser = new Map(rows.map((row) => [row.user_id, row]))
  return user_ids.map((user_id) => byUser.get(user_id))
}
