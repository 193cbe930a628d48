import { Meter } from 'react-aria-components'
import { formatBytes } from './format.ts'
import { messageOf } from './status.tsx'

interface Props {
  label: string
  /** Undefined until it is known. */
  used: { used_bytes: number; limit_bytes: number } | undefined
  /** Why it is not known; null without an error. */
  error: unknown
}

/** Shows how many bytes of a limit are used. */
export function UsedBar({ label, used, error }: Props) {
  const { used_bytes = 0, limit_bytes = 0 } = used ?? {}
  const percent = limit_bytes === 0 ? (used ? 100 : 0) : Math.min(100, (used_bytes / limit_bytes) * 100)
  const text = used ? `${formatBytes(used_bytes)} of ${formatBytes(limit_bytes)}` : '…'
  return (
    <Meter className="used-bar" aria-label={label} value={Math.round(percent)} valueLabel={text}>
      <div className="quiet small cut">{error ? `${label}: ${messageOf(error)}` : `${text} used`}</div>
      <div className="progress-track">
        <div
          className={percent >= 90 ? 'progress-fill full' : 'progress-fill'}
          style={{ width: `${percent.toFixed(2)}%` }}
        />
      </div>
    </Meter>
  )
}
