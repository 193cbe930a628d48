import { useRef, useState, useSyncExternalStore } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { useSession } from '../session/session.tsx'
import { shownUrl } from './as-code.ts'
import type { RecordedRequest } from './recorded.ts'
import { RequestDetails } from './request-details.tsx'
import './requests.css'

/** The requests of this pane, newest first. One that is selected shows its details: by arrow keys, one after the other. */
export function RequestPanel() {
  const { log } = useSession()
  const requests = useSyncExternalStore(log.subscribe, log.items)
  const [selected, setSelected] = useState<number>()
  const list = useRef<HTMLDivElement>(null)
  const request = requests.find(({ id }) => id === selected)
  const close = () => {
    list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
    setSelected(undefined)
  }
  return (
    <aside className={request ? 'requests with-details' : 'requests'} aria-label="Requests">
      <div className="row requests-head">
        <h2 className="spread">Requests</h2>
        <IconButton icon="trash" label="Clear the list of requests" onPress={log.clear} />
      </div>
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
    </aside>
  )
}

function Row({ request }: { request: RecordedRequest }) {
  const { id, method, status, code, ms } = request
  const isCancelled = code === 'cancelled'
  const isRefused = status !== undefined && (status === 0 || status >= 400) && !isCancelled
  return (
    <ListBoxItem
      id={id}
      className="request"
      textValue={`${method} ${shownUrl(request)} ${(isCancelled ? code : status) ?? 'under way'}`}
    >
      <code className="method">{method}</code>
      <code className="spread cut url">{shownUrl(request)}</code>
      {code && <code className={isCancelled ? 'quiet' : 'bad cut'}>{code}</code>}
      <code className={`status ${isRefused ? 'bad' : isCancelled ? 'quiet' : 'good'}`}>
        {status === undefined ? '…' : status || '—'}
      </code>
      <code className="quiet ms">{ms === undefined ? '' : `${ms} ms`}</code>
    </ListBoxItem>
  )
}
