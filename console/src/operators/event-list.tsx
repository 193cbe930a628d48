import { GridList, GridListItem } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { formatCount, formatTime } from '../controls/format.ts'
import type { UndeliveredEvent } from './undelivered.ts'

interface Props {
  label: string
  events: readonly UndeliveredEvent[]
  onSend: (named: { id: string }) => void
  /** Without it, the events can't be discarded. */
  onDiscard?: (event: UndeliveredEvent) => void
}

/** Undelivered events: what happened and when, how often it was tried, and why that failed. */
export function EventList({ label, events, onSend, onDiscard }: Props) {
  return (
    <GridList className="blocked" aria-label={label} items={events}>
      {(event) => (
        <GridListItem id={event.id} textValue={event.type} className="blocked-item">
          <div className="spread">
            <div className="cut">
              <code>{event.type}</code> <span className="quiet">{event.resource_id}</span>
            </div>
            <div className="quiet small announced-data">
              <bdi>{JSON.stringify(event.data)}</bdi>
            </div>
            <div className="quiet small">
              {formatTime(event.created_at)} · {formatCount(event.attempts, 'attempt')}
              {event.last_error !== '' && ` · ${event.last_error}`}
            </div>
          </div>
          <div className="row">
            <Button aria-label={`Send again: ${event.type}`} onPress={() => onSend({ id: event.id })}>
              Send again
            </Button>
            {onDiscard && (
              <Button aria-label={`Discard ${event.type}`} onPress={() => onDiscard(event)}>
                Discard
              </Button>
            )}
          </div>
        </GridListItem>
      )}
    </GridList>
  )
}
