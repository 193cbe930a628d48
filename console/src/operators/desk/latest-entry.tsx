import { useQuery } from '@tanstack/react-query'
import type { DoneAct } from '../../session/acts.ts'
import { useSession } from '../../session/session.tsx'
import { whatWasDone } from '../acts.ts'

/** The entry that the latest act has left. Without the scope to read it, what its answer was. */
export function LatestEntry({ act, user_id }: { act: DoneAct; user_id: string }) {
  const { studio, scopes, user_id: actor } = useSession()
  const { data: entry } = useQuery({
    queryKey: ['entry', act.id],
    queryFn: async ({ signal }) => {
      const { entries } = await studio.audit.list({ actor, user_id, limit: 20 }, { signal }).page()
      return entries.find(({ request_id }) => request_id === act.id) ?? null
    },
    enabled: scopes.includes('audit:read'),
  })
  if (!entry)
    return (
      <span>
        {act.status < 400 ? 'It is in the audit' : `It was refused with ${act.status}, and is in the audit`}:
        request <code>{act.id}</code>
      </span>
    )
  return (
    <span>
      In the audit: <b>{entry.actor}</b> {whatWasDone(entry)}{' '}
      <b>
        <bdi>{user_id}</bdi>
      </b>
      {entry.status !== null && entry.status >= 400 && `, refused with ${entry.status}`}.
    </span>
  )
}
