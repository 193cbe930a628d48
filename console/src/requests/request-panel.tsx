import { useState, useSyncExternalStore } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { copyText } from '../controls/copy.ts'
import { useSession } from '../session/session.tsx'
import { asClientCode, asCurl, isOfService, shownUrl } from './as-code.ts'
import type { RecordedRequest } from './log.ts'

/** The requests of this pane, newest first, with buttons that copy each as curl or as a call of the client. */
export function RequestPanel() {
  const { log } = useSession()
  const requests = useSyncExternalStore(log.subscribe, log.items)
  const [selected, setSelected] = useState<number>()
  const request = requests.find(({ id }) => id === selected)
  return (
    <aside className="requests" aria-label="Requests">
      <div className="row requests-head">
        <h2 className="spread">Requests</h2>
        {request && <Copies request={request} />}
        <IconButton icon="trash" label="Clear the list of requests" onPress={log.clear} />
      </div>
      <ListBox
        className="request-list"
        aria-label="Requests of this page"
        items={requests}
        selectionMode="single"
        selectedKeys={selected === undefined ? [] : [selected]}
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : keys
          setSelected(typeof key === 'number' ? key : undefined)
        }}
        renderEmptyState={() => <p className="quiet">The requests of this page appear here.</p>}
      >
        {(item) => <Row request={item} />}
      </ListBox>
    </aside>
  )
}

function Row({ request }: { request: RecordedRequest }) {
  const { id, method, url, status, code, ms, request_id } = request
  const isRefused = status !== undefined && (status === 0 || status >= 400)
  return (
    <ListBoxItem
      id={id}
      className="request"
      textValue={`${method} ${shownUrl(url)} ${status ?? 'under way'}`}
    >
      <code className="method">{method}</code>
      <code className="spread cut url">{shownUrl(url)}</code>
      {code && <code className="bad cut">{code}</code>}
      <code className={isRefused ? 'status bad' : 'status good'}>
        {status === undefined ? '…' : status || '—'}
      </code>
      <code className="quiet ms">{ms === undefined ? '' : `${ms} ms`}</code>
      <code className="quiet cut request-id">{request_id}</code>
    </ListBoxItem>
  )
}

function Copies({ request }: { request: RecordedRequest }) {
  return (
    <>
      <Button icon="copy" onPress={() => copyText(asCurl(request), 'Copied as curl.')}>
        curl
      </Button>
      {isOfService(request.url) && (
        <Button icon="copy" onPress={() => copyCode(request)}>
          Client code
        </Button>
      )}
    </>
  )
}

let description: Promise<unknown> | undefined

async function copyCode(request: RecordedRequest): Promise<void> {
  description ??= fetch('/openapi.json').then((response) => response.json())
  const code = asClientCode(request, await description)
  if (code !== undefined) await copyText(code, 'Copied as client code.')
}
