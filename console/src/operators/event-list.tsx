import { GridListItem } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { formatTime, sentence } from '../controls/format.ts'
import { RowList } from '../controls/row-list.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { reasonOf, titleOf, type UndeliveredEvent } from './undelivered.ts'
import { formatFromNow, When } from './when.tsx'

interface Props {
  label: string
  events: readonly UndeliveredEvent[]
  onSend: (named: { id: string }) => void
  /** Without it, the events can't be discarded. */
  onDiscard?: (event: UndeliveredEvent) => void
}

/** Undelivered events: what happened and when, how often it was tried, and why that failed. */
export function EventList({ label, events, onSend, onDiscard }: Props) {
  const isDeveloper = useDeveloperView()
  return (
    <RowList className="blocked" aria-label={label} items={events} dependencies={[isDeveloper]}>
      {(event) => (
        <GridListItem id={event.id} textValue={event.type} className="blocked-item">
          <div className="spread">
            <div className="event-title">
              <Answer event={event} />
              <b>{titleOf(event.type)}</b>
              <span className="quiet small">{formatTime(event.created_at)}</span>
            </div>
            <Attempts event={event} />
            {isDeveloper && (
              <pre className="event-data">
                {event.type} {JSON.stringify(event.data, null, 2)}
              </pre>
            )}
          </div>
          <div className="row">
            <Button aria-label={`${sendOf(event)}: ${event.type}`} onPress={() => onSend({ id: event.id })}>
              {sendOf(event)}
            </Button>
            {onDiscard && (
              <Button aria-label={`Discard ${event.type}`} onPress={() => onDiscard(event)}>
                Discard
              </Button>
            )}
          </div>
        </GridListItem>
      )}
    </RowList>
  )
}

/** The name of the button that sends an event. */
function sendOf({ attempts }: UndeliveredEvent): string {
  return attempts === 0 ? 'Send now' : 'Send again'
}

/** What the receiver answered, when, how often it was asked, and when it is asked again. */
function Attempts({ event }: { event: UndeliveredEvent }) {
  const { attempts, last_error, last_failed_at, next_at, parked_at } = event
  if (attempts === 0) return <div className="quiet">Not sent yet</div>
  return (
    <div className="quiet">
      {sentence(reasonOf(last_error))}
      {last_failed_at > 0 && (
        <>
          {', '}
          <When at={last_failed_at} />
        </>
      )}
      {` · tried ${attempts === 1 ? 'once' : `${attempts.toLocaleString('en')} times`}`}
      {parked_at > 0
        ? ' · not tried again by itself'
        : ` · ${next_at * 1_000 > Date.now() ? `next ${formatFromNow(next_at)}` : 'is next'}`}
    </div>
  )
}

/** The status of the receiver's last answer, or that there was none. */
function Answer({ event: { attempts, last_error } }: { event: UndeliveredEvent }) {
  if (attempts === 0) return null
  const [, status] = /^answered (\d+)/.exec(last_error) ?? []
  return <span className="answer">{status ?? 'no answer'}</span>
}
