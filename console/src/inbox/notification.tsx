import type { Notification } from 'edge-game-storage-client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { formatTime } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { JsonView } from '../controls/json-view.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { usePlace } from '../shell/place.tsx'
import { type Field, formatted } from './data.ts'
import { whatHappened } from './what-happened.ts'

interface Props {
  notification: Notification
  /** Beside the title. */
  label?: ReactNode
  /** Buttons at the end of the row. */
  children?: ReactNode
}

/** A longer text, in UTF-16 units, is shown in full with the details only. */
const LONG = 160

/** What a notification says, with the fields behind it; in the Developer view with its type and its data as JSON, too. */
export function NotificationContent({ notification, label, children }: Props) {
  const { id, type, data, created_at } = notification
  const isDeveloper = useDeveloperView()
  const { hrefOf } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const { icon, title, about, text, from, fields, at } = whatHappened(notification)
  const isLong = text !== undefined && text.length > LONG
  return (
    <>
      <span className={`notification-icon of-${icon}`}>
        <Icon name={icon} size={20} />
      </span>
      <div className="spread notification-said">
        <div className="row notification-title">
          <span>
            {title}
            {about !== undefined && <bdi>{about}</bdi>}
          </span>
          {label}
        </div>
        {text !== undefined && (
          <div className={isLong && !isOpen ? 'notification-text clamped' : 'notification-text'}>
            <bdi>{text}</bdi>
          </div>
        )}
        <div className="quiet small notification-facts">
          <time dateTime={new Date(created_at * 1_000).toISOString()}>{when(created_at)}</time>
          {from !== undefined && (
            <>
              {' · from '}
              <bdi>{from}</bdi>
            </>
          )}
          {at && (
            <>
              {' · '}
              <Link href={hrefOf(at.path, {}, at.screen)}>{at.title}</Link>
            </>
          )}
        </div>
      </div>
      <div className="row notification-actions">
        {(fields.length > 0 || isDeveloper || isLong) && (
          <IconButton
            icon="info"
            label={isOpen ? 'Hide the details' : 'Show the details'}
            aria-expanded={isOpen}
            onPress={() => setOpen(!isOpen)}
          />
        )}
        {children}
      </div>
      {isOpen && fields.length > 0 && <Fields fields={fields} />}
      {isOpen && isDeveloper && (
        <div className="notification-json">
          <div className="quiet small">
            <code>{type}</code> · <code>{id}</code>
          </div>
          <JsonView text={formatted(data)} />
        </div>
      )}
    </>
  )
}

function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className="notification-fields small">
      {fields.map(({ name, value }) => (
        <div key={name}>
          <dt className="cut">
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** When something happened, in Unix seconds: of today the time alone. */
function when(seconds: number): string {
  const isToday = new Date(seconds * 1_000).toDateString() === new Date().toDateString()
  return isToday ? `Today, ${time.format(seconds * 1_000)}` : formatTime(seconds)
}
