import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import './avatar.css'

/** The key of the query that reads the user's own profile. */
export const profileKey = ['profile']

/** The user's profile picture, or the first letter of their id. The name stands beside it, so the picture needs no text. */
export function Avatar() {
  const { client, user_id } = useSession()
  const profile = useQuery({
    queryKey: profileKey,
    queryFn: async ({ signal }) => {
      const { profiles } = await client.profiles.get({ user_ids: [user_id] }, { signal })
      return profiles[0] ?? null
    },
  })
  const url = profile.data?.picture_url
  if (url) return <img className="avatar" src={url} alt="" />
  return (
    <span className="avatar letter" aria-hidden="true">
      {user_id.slice(0, 1).toUpperCase()}
    </span>
  )
}
