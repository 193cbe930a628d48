import type { Inbox, InboxState, Notification } from 'edge-game-storage-client'
import { GridList, GridListItem } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { showError } from '../controls/notice.tsx'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { type DeviceInbox, useInbox } from './use-inbox.ts'

/** A device with an inbox: its connection, its badge, and its list. */
export function Device({ name }: { name: string }) {
  const device = useInbox()
  const { inbox, snapshot, state, isCut, setCut } = device
  const markAll = () => inbox?.markAllRead().catch(showError)
  return (
    <section className="device" aria-label={name}>
      <header className="row device-head">
        <h3>{name}</h3>
        <Badge unread={snapshot?.unread} />
        <span className="spread" />
        <Button onPress={markAll} isDisabled={!snapshot?.unread}>
          Mark all read
        </Button>
        <Button look={isCut ? 'primary' : 'plain'} onPress={() => setCut(!isCut)}>
          {isCut ? 'Join again' : 'Cut off'}
        </Button>
      </header>
      <Connection state={state} isCut={isCut} seq={snapshot?.seq} />
      {state.name === 'closed' && state.error !== undefined && <ErrorNote error={state.error} />}
      <Notifications device={device} />
    </section>
  )
}

function Badge({ unread }: { unread: number | undefined }) {
  if (unread === undefined) return null
  return <output className={unread > 0 ? 'badge' : 'badge none'}>{unread} unread</output>
}

function Connection({ state, isCut, seq }: { state: InboxState; isCut: boolean; seq: number | undefined }) {
  const isGood = state.name === 'connected'
  return (
    <p className="row small connection" role="status">
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

function Notifications({ device: { inbox, snapshot } }: { device: DeviceInbox }) {
  if (!inbox || !snapshot) return <Waiting rows={4} />
  return (
    <>
      <GridList
        className="notifications"
        aria-label="Notifications"
        items={snapshot.notifications}
        renderEmptyState={() => (
          <Empty icon="bell" title="No notifications">
            Publish one below, as the social service would.
          </Empty>
        )}
      >
        {(notification) => <Row inbox={inbox} notification={notification} />}
      </GridList>
      {snapshot.has_more && (
        <Button onPress={() => inbox.loadMore().catch(showError)}>
          Show older ones: {snapshot.notifications.length} of {snapshot.total}
        </Button>
      )}
    </>
  )
}

const titles: Record<string, string> = {
  friend_request: 'Friend request from',
  friend_accepted: 'You are friends now:',
}

function Row({ inbox, notification }: { inbox: Inbox; notification: Notification }) {
  const { id, type, data, state, created_at } = notification
  const isSocial = type === 'friend_request' || type === 'friend_accepted'
  const title = isSocial ? `${titles[type]} ${data.from_display_name}` : type
  return (
    <GridListItem id={id} textValue={title} className={`notification ${state}`}>
      <div className="spread">
        <div className="cut">{title}</div>
        <time className="quiet small" dateTime={new Date(created_at * 1_000).toISOString()}>
          {new Date(created_at * 1_000).toLocaleTimeString()}
        </time>
      </div>
      {state === 'unread' && (
        <IconButton icon="check" label="Mark as read" onPress={() => inbox.markRead([id]).catch(showError)} />
      )}
      <IconButton icon="trash" label="Delete" onPress={() => inbox.delete(id).catch(showError)} />
    </GridListItem>
  )
}
