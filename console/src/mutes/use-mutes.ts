import { useQuery } from '@tanstack/react-query'
import { showError, showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'

/** The players whom the user has muted, the last muted first; undefined until they are read. */
export function useMutes() {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['mutes'],
    queryFn: async ({ signal }) => {
      const user_ids: string[] = []
      for await (const { user_id } of client.mutes.list({ limit: 100 }, { signal })) user_ids.push(user_id)
      return user_ids
    },
  })
  return data
}

/** Returns a function that mutes or unmutes a player, and shows what came of it. */
export function useMute() {
  const { client, changed } = useSession()
  return async (user_id: string, isMuted: boolean): Promise<void> => {
    try {
      await (isMuted ? client.mutes.add({ user_id }) : client.mutes.remove({ user_id }))
      showNotice(isMuted ? `You have muted ${user_id}.` : `You hear of ${user_id} again.`)
    } catch (error) {
      showError(error)
    }
    await changed('mutes')
  }
}
