import type { Notification } from 'edge-game-storage-client'
import { NotificationContent } from './notification.tsx'

/** The signals that a device has just got. Nothing keeps them. */
export function Signals({ signals }: { signals: readonly Notification[] }) {
  return (
    <div role="status">
      {signals.map((signal) => (
        <div key={signal.id} className="signal">
          <NotificationContent notification={signal} label={<span className="not-kept">not kept</span>} />
        </div>
      ))}
    </div>
  )
}
