import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import './avatar.css'

/** The key of the query that reads the user's own profile. */
export const profileKey = ['profile']

/** How long the picture of another user is shown without being asked for again. */
const OTHERS_MS = 300_000

/**
 * The profile picture of a user, by default of the one who is signed in, or the first letter of their id. The name is beside it, so
 * the picture needs no text.
 */
export function Avatar({ user_id }: { user_id?: string }) {
  const { client, user_id: own } = useSession()
  const id = user_id ?? own
  const profile = useQuery({
    queryKey: id === own ? profileKey : [...profileKey, id],
    queryFn: async ({ signal }) => {
      const { profiles } = await client.profiles.get({ user_ids: [id] }, { signal })
      return profiles[0] ?? null
    },
    staleTime: id === own ? 0 : OTHERS_MS,
  })
  const url = profile.data?.picture_url
  if (url) return <img className="avatar" src={url} alt="" />
  return (
    <span className="avatar letter" aria-hidden="true">
      {id.slice(0, 1).toUpperCase()}
    </span>
  )
}
