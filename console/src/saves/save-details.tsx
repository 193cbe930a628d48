import { formatBytes, formatDuration } from '../controls/format.ts'
import type { Details } from './save.ts'

/** What is known of a save, one line each. */
export function SaveDetails({ details, time }: { details: Details; time: string }) {
  const { device, label, played_seconds, size_bytes } = details
  const lines = {
    Device: device ?? '–',
    Label: label ?? '–',
    Played: played_seconds === null ? '–' : formatDuration(played_seconds),
    Size: formatBytes(size_bytes),
    Written: time,
  }
  return (
    <dl className="save-details">
      {Object.entries(lines).map(([name, value]) => (
        <div key={name}>
          <dt className="quiet">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
