import { useRef, useState, useSyncExternalStore } from 'react'
import { Button, ListBox, ListBoxItem } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { Icon } from '../controls/icon.tsx'
import { useSession } from '../session/session.tsx'
import { shownUrl } from './as-code.ts'
import type { RecordedRequest } from './recorded.ts'
import { RequestDetails } from './request-details.tsx'
import './requests.css'

export const build = BUILD

/** The requests of this pane: a line with the latest one, and opened a list, newest first. One that is selected shows its details: by arrow keys, one after the other. */
export function RequestPanel() {
  const { log } = useSession()
  const requests = useSyncExternalStore(log.subscribe, log.items)
  const [isOpen, setOpen] = useState(false)
  const [selected, setSelected] = useState<number>()
  const list = useRef<HTMLDivElement>(null)
  const request = isOpen ? requests.find(({ id }) => id === selected) : undefined
  const [latest] = requests
  const close = () => {
    list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
    setSelected(undefined)
  }
  return (
    <aside
      className={`requests ${isOpen ? 'open' : ''} ${request ? 'with-details' : ''}`}
      aria-label="Requests"
    >
      <div className="row requests-head">
        <Button
          className="requests-toggle"
          aria-expanded={isOpen}
          aria-label={isOpen ? 'Hide the requests' : 'Show the requests'}
          onPress={() => setOpen(!isOpen)}
        >
          <span className={isOpen ? 'turned' : 'turned up'}>
            <Icon name="chevron" size={14} />
          </span>
          Requests
        </Button>
        {isOpen ? <span className="spread" /> : latest && <RequestLine request={latest} />}
        {isOpen && <IconButton icon="trash" label="Clear the list of requests" onPress={log.clear} />}
      </div>
      {isOpen && (
        <div className="requests-body">
          <ListBox
            ref={list}
            className="request-list"
            aria-label="Requests of this page"
            items={requests}
            selectionMode="single"
            // Who goes through the list with Tab opens nothing.
            selectionBehavior={request ? 'replace' : 'toggle'}
            selectedKeys={request ? [request.id] : []}
            onSelectionChange={(keys) => {
              const [key] = keys === 'all' ? [] : keys
              setSelected(typeof key === 'number' ? key : undefined)
            }}
            renderEmptyState={() => <p className="quiet">The requests of this page appear here.</p>}
          >
            {(item) => <Row request={item} />}
          </ListBox>
          {request && <RequestDetails request={request} onClose={close} />}
        </div>
      )}
    </aside>
  )
}

function Row({ request }: { request: RecordedRequest }) {
  const { id, method, status, code } = request
  return (
    <ListBoxItem
      id={id}
      className="request"
      textValue={`${method} ${shownUrl(request)} ${(code === 'cancelled' ? code : status) ?? 'under way'}`}
    >
      <RequestLine request={request} />
    </ListBoxItem>
  )
}

/** A request in one line. */
function RequestLine({ request }: { request: RecordedRequest }) {
  const { method, status, code, ms } = request
  const isCancelled = code === 'cancelled'
  const isRefused = status !== undefined && (status === 0 || status >= 400) && !isCancelled
  return (
    <>
      <code className="method">{method}</code>
      <code className="spread cut url">{shownUrl(request)}</code>
      {code && <code className={isCancelled ? 'quiet cut' : 'bad cut'}>{code}</code>}
      <code className={`status ${isRefused ? 'bad' : 'quiet'}`}>
        {status === undefined ? '…' : status || '—'}
      </code>
      <code className="quiet ms">{ms === undefined ? '' : `${ms} ms`}</code>
    </>
  )
}
