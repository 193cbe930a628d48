import { useQuery } from '@tanstack/react-query'
import type { UserOverview } from 'edge-game-storage-client'
import { Link } from 'react-aria-components'
import { formatBytes, formatCount } from '../controls/format.ts'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { playerKey } from './player-key.ts'

/** How much a player has, in numbers, and what the numbers mean for support. */
export function Overview({ user_id }: { user_id: string }) {
  const { studio } = useSession()
  const { hrefOf } = usePlace()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...playerKey(user_id), 'overview'],
    queryFn: ({ signal }) => studio.users.get({ user_id }, { signal }),
  })
  if (isPending) return <Waiting rows={3} />
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  const { used_bytes, limit_bytes } = data.quota
  return (
    <>
      <State user={data} />
      <dl className="figures">
        <div>
          <dt>Stored</dt>
          <dd>
            {formatBytes(used_bytes)} <span className="quiet small">of {formatBytes(limit_bytes)}</span>
          </dd>
        </div>
        {figuresOf(data).map(([name, figure, note]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {figure.toLocaleString('en')}{' '}
              {note !== undefined && (
                <span className="quiet small">
                  (
                  {name === 'Assets' ? (
                    <Link href={hrefOf([], { owner: user_id }, 'discover')}>{note}</Link>
                  ) : (
                    note
                  )}
                  )
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** What stands out, with what to do. */
function State({ user }: { user: UserOverview }) {
  const { hrefOf } = usePlace()
  const { quota } = user
  if (user.is_being_erased)
    return (
      <p className="hint">
        This player is being erased: the job removes what there was, and the numbers may still include it.
        Nobody sees any of it. <Link href={hrefOf(['job'])}>The job</Link>
      </p>
    )
  if (quota.used_bytes === 0 && figuresOf(user).every(([, figure]) => figure === 0))
    return (
      <p className="hint">
        Nothing is stored of this id. Is it spelt right? The service does not know whom your login knows.
      </p>
    )
  if (quota.available_bytes === 0)
    return (
      <p className="hint">
        The quota is full, so uploads are refused with <code>QUOTA_EXCEEDED</code>. Set a higher limit, or ask
        the player to empty their trash: it counts.
      </p>
    )
  return null
}

function figuresOf(user: UserOverview): [name: string, figure: number, note?: string][] {
  const { notifications } = user
  return [
    ['Files and folders', user.item_count, 'with the trash'],
    ['Assets', user.asset_count, `${user.public_asset_count.toLocaleString('en')} public`],
    ['Versions', user.version_count],
    ['Open uploads', user.open_upload_count],
    ['Favorites', user.favorite_count],
    ['Notifications', notifications.total, formatCount(notifications.unread, 'unread', 'unread')],
  ]
}
