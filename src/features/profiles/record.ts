import type { ProfileRow } from './row.ts'
import type { Profile } from './schema.ts'

/**
 * A profile as the API shows it (docs/conformance.md#profiles). `row` is undefined without a picture that is shown. The URL of
 * the picture is at the address that the client uses for the API: `origin`, that of the request.
 */
export function profileRecord(user_id: string, row: ProfileRow | undefined, origin: string): Profile {
  if (!row) return { user_id, picture_url: null, updated_at: null }
  const { picture_id, object_key, updated_at } = row
  return { user_id, picture_url: `${origin}/pictures/files/${picture_id}/${object_key}`, updated_at }
}
