import { FileTrigger, GridList, GridListItem, ListLayout, Virtualizer } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { formatBytes, formatCount } from '../controls/format.ts'
import { tellError } from '../controls/notice.tsx'
import { messageOf, Progress } from '../controls/status.tsx'
import type { QueuedUpload } from './queue.ts'
import { useQueue, useUploads } from './uploads.tsx'
import './uploads.css'

const ROW = 52
const MOST_ROWS = 4

/** The uploads of the pane that are not complete, below every screen. */
export function UploadsPanel() {
  const { uploads } = useUploads()
  if (uploads.length === 0) return null
  const total = uploads.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  const sent = uploads.reduce((sum, { sent_bytes }) => sum + sent_bytes, 0)
  return (
    <aside className="uploads" aria-label="Uploads">
      <div className="row uploads-head">
        <h3>{formatCount(uploads.length, 'upload')}</h3>
        <span className="quiet small">
          {formatBytes(sent)} of {formatBytes(total)}
        </span>
      </div>
      <div className="uploads-rows" style={{ height: Math.min(uploads.length, MOST_ROWS) * ROW }}>
        <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: ROW }}>
          <GridList
            className="upload-list"
            aria-label="Uploads under way"
            items={uploads}
            keyboardNavigationBehavior="tab"
          >
            {(upload) => <Row upload={upload} />}
          </GridList>
        </Virtualizer>
      </div>
    </aside>
  )
}

function Row({ upload }: { upload: QueuedUpload }) {
  const { name, size_bytes, sent_bytes, state, error } = upload
  const isFailed = error !== undefined
  return (
    <GridListItem id={upload.id} className="upload" textValue={name}>
      <div className="spread">
        <div className="row">
          <span className="cut">{name}</span>
          <span className={isFailed ? 'bad small cut spread' : 'quiet small cut spread'}>
            {isFailed ? messageOf(error) : told(upload)}
          </span>
        </div>
        <Progress label={`Sent of ${name}`} value={size_bytes === 0 ? 0 : sent_bytes / size_bytes} />
      </div>
      <Controls upload={upload} isLost={state === 'lost'} />
    </GridListItem>
  )
}

function Controls({ upload, isLost }: { upload: QueuedUpload; isLost: boolean }) {
  const queue = useQueue()
  const { id, name, state } = upload
  return (
    <>
      {(state === 'sending' || state === 'waiting') && (
        <IconButton icon="pause" label={`Pause ${name}`} onPress={() => queue.pause(id)} />
      )}
      {state === 'paused' && (
        <IconButton icon="play" label={`Resume ${name}`} onPress={() => queue.resume(id)} />
      )}
      {state === 'failed' && (
        <IconButton icon="restore" label={`Try ${name} again`} onPress={() => queue.resume(id)} />
      )}
      {isLost && (
        <FileTrigger
          onSelect={(files) => {
            const content = files?.item(0)
            if (content) queue.resume(id, content)
          }}
        >
          <Button>Choose the file</Button>
        </FileTrigger>
      )}
      <IconButton icon="close" label={`Cancel ${name}`} onPress={() => queue.cancel(id).catch(tellError)} />
    </>
  )
}

function told({ state, sent_bytes, size_bytes }: QueuedUpload): string {
  const sent = `${formatBytes(sent_bytes)} of ${formatBytes(size_bytes)}`
  if (state === 'waiting') return `waits · ${formatBytes(size_bytes)}`
  if (state === 'lost') return `${formatBytes(size_bytes)} · choose the same file again to go on`
  return state === 'paused' ? `paused · ${sent}` : sent
}
