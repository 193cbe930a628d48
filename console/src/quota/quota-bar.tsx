import { useQuery } from '@tanstack/react-query'
import { Meter } from 'react-aria-components'
import { formatBytes } from '../controls/format.ts'
import { messageOf } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import './quota.css'

/** Shows how much of their storage the user has used. */
export function QuotaBar() {
  const { client } = useSession()
  const quota = useQuery({ queryKey: ['quota'], queryFn: ({ signal }) => client.getQuota({ signal }) })
  const { used_bytes = 0, limit_bytes = 0, usage_percent = 0 } = quota.data ?? {}
  const percent = Math.min(100, Math.round(usage_percent))
  const text = quota.data ? `${formatBytes(used_bytes)} of ${formatBytes(limit_bytes)}` : '…'
  return (
    <Meter className="quota" aria-label="Storage used" value={percent} valueLabel={text}>
      <div className="quiet small cut">
        {quota.isError ? `Storage used: ${messageOf(quota.error)}` : `${text} used`}
      </div>
      <div className="progress-track">
        <div
          className={usage_percent >= 90 ? 'progress-fill full' : 'progress-fill'}
          style={{ width: `${Math.min(100, usage_percent).toFixed(2)}%` }}
        />
      </div>
    </Meter>
  )
}
