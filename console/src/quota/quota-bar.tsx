import { useQuery } from '@tanstack/react-query'
import { UsedBar } from '../controls/used-bar.tsx'
import { useSession } from '../session/session.tsx'

/** Shows how much of their storage the user has used. */
export function QuotaBar() {
  const { client } = useSession()
  const quota = useQuery({ queryKey: ['quota'], queryFn: ({ signal }) => client.quota.get({ signal }) })
  return <UsedBar label="Storage used" used={quota.data} error={quota.error} />
}
