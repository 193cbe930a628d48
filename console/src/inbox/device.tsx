import type { Inbox, InboxState, Notification } from 'edge-game-storage-client'
import { useEffect } from 'react'
import { GridListItem } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { formatCount } from '../controls/format.ts'
import { showError } from '../controls/notice.tsx'
import { RowList } from '../controls/row-list.tsx'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { DeleteMany } from './delete-many.tsx'
import { type Filter, isShown } from './filter.tsx'
import { NotificationContent } from './notification.tsx'
import { Signals } from './signals.tsx'
import { type DeviceInbox, useInbox } from './use-inbox.ts'
import { sentenceOf, whatHappened } from './what-happened.ts'

interface Props {
  device: DeviceInbox
  /** The name of one of several devices. */
  name: string
  filter: Filter
  /** Gets the types that the device has. */
  onTypes: (types: readonly string[]) => void
}

/** The inbox as a device shows it: its unread count, and its list; in the Developer view with its connection. */
export function Device({ device, name, filter, onTypes }: Props) {
  const { inbox, snapshot, state, isCut, setCut } = device
  const isDeveloper = useDeveloperView()
  const notifications = snapshot?.notifications
  useEffect(() => onTypes((notifications ?? []).map(({ type }) => type)), [notifications, onTypes])
  const markAll = () => inbox?.markAllRead().catch(showError)
  return (
    <section className="device" aria-label={isDeveloper ? name : 'Your notifications'}>
      <header className="row device-head">
        {isDeveloper && <h2>{name}</h2>}
        <Badge unread={snapshot?.unread} />
        <span className="spread" />
        <Button onPress={markAll} isDisabled={!snapshot?.unread}>
          Mark all read
        </Button>
        <DeleteMany inbox={inbox} snapshot={snapshot} />
      </header>
      {(isDeveloper || state.name === 'waiting' || state.name === 'closed') && (
        <div className="row connection">
          <Connection state={state} isCut={isCut} seq={isDeveloper ? snapshot?.seq : undefined} />
          {isDeveloper && (
            <Button look={isCut ? 'primary' : 'plain'} onPress={() => setCut(!isCut)}>
              {isCut ? 'Join again' : 'Cut off'}
            </Button>
          )}
        </div>
      )}
      {state.name === 'closed' && state.error !== undefined && <ErrorNote error={state.error} />}
      <Signals signals={device.signals} />
      <Notifications device={device} filter={filter} />
    </section>
  )
}

/** A second device of the same user, with a connection of its own. */
export function SecondDevice(props: Omit<Props, 'device'>) {
  return <Device {...props} device={useInbox(true)} />
}

function Badge({ unread }: { unread: number | undefined }) {
  if (unread === undefined) return null
  return <output className={unread > 0 ? 'badge' : 'badge none'}>{unread} unread</output>
}

function Connection({ state, isCut, seq }: { state: InboxState; isCut: boolean; seq: number | undefined }) {
  const isGood = state.name === 'connected'
  return (
    <p className="row small spread" role="status">
      <span className={isGood ? 'dot good' : 'dot'} />
      <span className="spread">{isCut && !isGood ? 'cut off: waiting for a network' : wordsFor(state)}</span>
      {seq !== undefined && <code className="quiet">seq {seq}</code>}
    </p>
  )
}

function wordsFor(state: InboxState): string {
  if (state.name === 'connecting') return 'connecting'
  if (state.name === 'connected') return 'connected'
  if (state.name === 'closed') return state.reason === 'erased' ? 'closed: the user was erased' : 'closed'
  if (state.reason === 'offline') return 'offline: waiting for a network'
  if (state.reason === 'replaced') return 'replaced by a newer connection of this user'
  return 'connecting again shortly'
}

interface ListProps {
  device: DeviceInbox
  filter: Filter
}

function Notifications({ device: { inbox, snapshot }, filter }: ListProps) {
  if (!inbox || !snapshot) return <Waiting rows={4} />
  const shown = snapshot.notifications.filter((notification) => isShown(filter, notification))
  return (
    <>
      <RowList
        className="notifications"
        aria-label="Notifications"
        items={shown}
        renderEmptyState={() =>
          snapshot.total === 0 ? (
            <Empty icon="bell" title="No notifications">
              Gifts, turns and messages appear here as soon as they are published.
            </Empty>
          ) : (
            <Empty icon="search" title="None of these">
              The filter shows none of {formatCount(snapshot.notifications.length, 'notification')}.
            </Empty>
          )
        }
      >
        {(notification) => <Row inbox={inbox} notification={notification} />}
      </RowList>
      {snapshot.has_more && (
        <Button onPress={() => inbox.loadMore().catch(showError)}>
          Show older ones: {snapshot.notifications.length} of {snapshot.total}
        </Button>
      )}
    </>
  )
}

function Row({ inbox, notification }: { inbox: Inbox; notification: Notification }) {
  const { id, state } = notification
  return (
    <GridListItem
      id={id}
      textValue={sentenceOf(whatHappened(notification))}
      className={`notification ${state}`}
    >
      <NotificationContent notification={notification}>
        {state === 'unread' && (
          <IconButton
            icon="check"
            label="Mark as read"
            onPress={() => inbox.markRead({ notification_ids: [id] }).catch(showError)}
          />
        )}
        <IconButton icon="trash" label="Delete" onPress={() => inbox.delete({ id }).catch(showError)} />
      </NotificationContent>
    </GridListItem>
  )
}
