import type { Notification } from 'edge-game-storage-client'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../controls/button.tsx'
import { fieldsOf, formatted, titleOf } from './data-text.ts'

interface Props {
  notification: Notification
  /** Beside the title. */
  label?: ReactNode
  /** Buttons at the end of the row. */
  children?: ReactNode
}

/** What a notification says: in words for the service's types, else by its type and the fields of its data. */
export function NotificationContent({ notification, label, children }: Props) {
  const { type, data, created_at } = notification
  const [isOpen, setOpen] = useState(false)
  const title = titleOf(notification)
  const fields = title === undefined ? fieldsOf(data) : []
  return (
    <>
      <div className="spread">
        <div className="row notification-title">
          {title === undefined ? (
            <code className="type-label cut">{type}</code>
          ) : (
            <div className="cut">{title}</div>
          )}
          {label}
        </div>
        <time className="quiet small" dateTime={new Date(created_at * 1_000).toISOString()}>
          {new Date(created_at * 1_000).toLocaleTimeString()}
        </time>
      </div>
      {fields.length > 0 && (
        <IconButton
          icon="code"
          label={isOpen ? 'Show the first fields' : 'Show the data as JSON'}
          onPress={() => setOpen(!isOpen)}
        />
      )}
      {children}
      {isOpen ? <pre className="notification-json">{formatted(data)}</pre> : <Fields fields={fields} />}
    </>
  )
}

/** How many fields are shown at first. */
const SHOWN = 3

function Fields({ fields }: { fields: ReturnType<typeof fieldsOf> }) {
  if (fields.length === 0) return null
  const more = fields.length - SHOWN
  return (
    <dl className="notification-fields small">
      {fields.slice(0, SHOWN).map(({ name, value }) => (
        <div key={name}>
          <dt className="cut">
            <bdi>{name}</bdi>
          </dt>
          <dd className="cut">
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
      {more > 0 && (
        <div>
          <dt className="quiet">and {more} more</dt>
        </div>
      )}
    </dl>
  )
}
