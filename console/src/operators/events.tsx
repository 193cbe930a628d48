import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { formatCount } from '../controls/format.ts'
import { showError, showNotice } from '../controls/notice.tsx'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { numberIn } from '../json.ts'
import { useSession } from '../session/session.tsx'
import { EventList } from './event-list.tsx'
import { reasonOf, titleOf, type UndeliveredEvent, undeliveredIn } from './undelivered.ts'

/** One event by its id, or all that could not be delivered. */
type Named = { id: string } | { all: true }

/** How many events each list shows. More are read, to find those that have failed. */
const SHOWN = 50

/** The events that the studio's receiver has not got, why, and what to do: send them again, or discard them. */
export function Events() {
  const { operate } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['undelivered events'],
    queryFn: async ({ signal }) =>
      undeliveredIn(await operate({ method: 'GET', path: '/v1/events?limit=500', signal })),
  })
  const [discarded, setDiscarded] = useState<UndeliveredEvent | 'all'>()
  const change = (action: 'resend' | 'discard', named: Named) =>
    operate({ method: 'POST', path: `/v1/events/${action}`, body: named })
  const resend = useMutation({
    mutationFn: (named: Named) => change('resend', named),
    onSuccess: (answer) => {
      showNotice(`${formatCount(numberIn(answer, 'events'), 'event')} will be sent again now.`)
      return refetch()
    },
    onError: showError,
  })
  if (isPending) return <Waiting />
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  const { is_configured, parked, parked_count, waiting, waiting_count, dropped_count } = data
  const send = (named: Named) => resend.mutate(named)
  return (
    <>
      <div className="row">
        <p className="quiet spread">
          Your receiver is told what happens here. <a href="/guides/events">How events are received</a>
        </p>
        <Button icon="restore" onPress={() => void refetch()}>
          Read again
        </Button>
      </div>
      {!is_configured && parked_count + waiting_count === 0 ? (
        <Empty icon="bell" title="No receiver is configured">
          Set <code>WEBHOOK_URL</code>, and events are sent there. Until then none is written.
        </Empty>
      ) : (
        parked_count + waiting_count === 0 && (
          <Empty icon="check" title="Every event was delivered">
            What can’t be delivered is listed here, with what the receiver answered, when, and how often it
            was tried.
          </Empty>
        )
      )}
      {dropped_count > 0 && (
        <p className="hint">
          {formatCount(dropped_count, 'event was', 'events were')} dropped: too many waited.{' '}
          <a href="/guides/events#turns-and-limits">Limits of events</a>
        </p>
      )}
      {parked_count > 0 && (
        <Part
          title="Could not be delivered"
          says={`${formatCount(parked_count, 'event')} could not be delivered: ${commonReason(parked)}. Mend the receiver, then press Send all again.`}
        >
          <div className="row">
            <Button look="primary" isPending={resend.isPending} onPress={() => send({ all: true })}>
              Send all again
            </Button>
            <Button look="danger" onPress={() => setDiscarded('all')}>
              Discard all …
            </Button>
          </div>
          <EventList
            label="Events that could not be delivered"
            events={parked.slice(0, SHOWN)}
            onSend={send}
            onDiscard={setDiscarded}
          />
        </Part>
      )}
      {waiting_count > 0 && (
        <Part
          title="Waiting"
          says={`${formatCount(waiting_count, 'event waits', 'events wait')} for the next attempt. A press on its button does not wait for it.`}
        >
          <EventList label="Events that wait" events={triedFirst(waiting)} onSend={send} />
          {waiting_count > SHOWN && <p className="hint">Shown are {SHOWN}, those that have failed first.</p>}
        </Part>
      )}
      {discarded && (
        <Confirm
          title={discarded === 'all' ? 'Discard all of them?' : `Discard ${titleOf(discarded.type)}?`}
          action="Discard"
          onConfirm={async () => {
            await change('discard', discarded === 'all' ? { all: true } : { id: discarded.id })
            await refetch()
          }}
          onClose={() => setDiscarded(undefined)}
        >
          The receiver never learns of what happened. This can’t be undone.
        </Confirm>
      )}
    </>
  )
}

function Part({ title, says, children }: { title: string; says: string; children: ReactNode }) {
  return (
    <section className="stack" aria-label={title}>
      <h3>{title}</h3>
      <p>{says}</p>
      {children}
    </section>
  )
}

/** Those that have failed, the latest first, and then the next ones: behind a receiver that fails, most have not been sent. */
function triedFirst(events: readonly UndeliveredEvent[]): readonly UndeliveredEvent[] {
  return events.toSorted((one, other) => other.last_failed_at - one.last_failed_at).slice(0, SHOWN)
}

/** Why the events were not delivered, in words: the reason that most of them have. */
function commonReason(events: readonly UndeliveredEvent[]): string {
  const counts = Map.groupBy(events, ({ last_error }) => last_error)
  const [[reason = ''] = []] = [...counts].sort(([, one], [, other]) => other.length - one.length)
  return reasonOf(reason)
}
