import { GameStorageError, NetworkError } from 'edge-game-storage-client'
import type { ReactNode } from 'react'
import { ProgressBar } from 'react-aria-components'
import { Button } from './button.tsx'
import { Drawing, type IconName } from './icon.tsx'

/** Says that a list is empty, and what the user can do. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <Drawing name={icon} />
      <h3>{title}</h3>
      <div className="quiet">{children}</div>
    </div>
  )
}

interface ErrorNoteProps {
  error: unknown
  /** What to say instead of the error's own message. */
  text?: string | undefined
  onRetry?: () => void
  /** What the button says that calls `onRetry`. */
  retry?: string
  /** Whether a parent element is announced already, so that the error is not announced twice. */
  isAnnounced?: boolean
}

/** An error: its detail, and the code and request id for a support request. */
export function ErrorNote({
  error,
  text,
  onRetry,
  retry = 'Try again',
  isAnnounced = false,
}: ErrorNoteProps) {
  return (
    <div className="error-note" {...(!isAnnounced && { role: 'alert' })}>
      <p>{text ?? messageOf(error)}</p>
      {error instanceof GameStorageError && error.request_id !== undefined && (
        <p className="small">
          <code>{error.code}</code> · request <code>{error.request_id}</code>
        </p>
      )}
      {onRetry && <Button onPress={onRetry}>{retry}</Button>}
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (error instanceof NetworkError) return `The service could not be reached. ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

/** A progress bar. `value`: 0 to 1; undefined when the progress is unknown. */
export function Progress({ label, value }: { label: string; value?: number }) {
  const isIndeterminate = value === undefined
  return (
    <ProgressBar
      className="progress"
      aria-label={label}
      value={(value ?? 0) * 100}
      isIndeterminate={isIndeterminate}
    >
      {({ percentage }) => (
        <div className="progress-track">
          <div
            className={isIndeterminate ? 'progress-fill waiting' : 'progress-fill'}
            style={{ width: `${isIndeterminate ? 30 : percentage}%` }}
          />
        </div>
      )}
    </ProgressBar>
  )
}

/** Placeholder rows while a list is read, in the shape of its rows, so that the layout stays. */
export function Waiting({ rows = 6 }: { rows?: number }) {
  return (
    <div className="waiting-rows" role="status" aria-label="Loading">
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className="waiting-row" />
      ))}
    </div>
  )
}
