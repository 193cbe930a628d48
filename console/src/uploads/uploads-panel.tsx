import { ContentChangedError, ServiceError } from 'edge-game-storage-client'
import { useState } from 'react'
import {
  Button as AriaButton,
  FileTrigger,
  GridListItem,
  ListLayout,
  Virtualizer,
} from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { formatBytes } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { NameDialog } from '../controls/name-dialog.tsx'
import { showError } from '../controls/notice.tsx'
import { RowList } from '../controls/row-list.tsx'
import { messageOf, Progress } from '../controls/status.tsx'
import { isRefusal } from '../session/session.tsx'
import type { QueuedUpload } from './queue.ts'
import { isRejected } from './send.ts'
import { totalOf } from './total.ts'
import { useQueue, useUploads } from './uploads.tsx'
import './uploads.css'

const ROW = 60
const MOST_ROWS = 4

const isPhone = () => matchMedia('(max-width: 480px)').matches

/** The uploads of the pane: a card over every screen with their total, which opens to rows. */
export function UploadsPanel() {
  const { queue, uploads } = useUploads()
  const [renamed, setRenamed] = useState<QueuedUpload>()
  const [chosen, setOpen] = useState<boolean>()
  if (uploads.length === 0) return null
  const { title, text, failed, share, isWaiting } = totalOf(queue, uploads)
  const isOpen = chosen ?? (isWaiting || (uploads.length <= MOST_ROWS && !isPhone()))
  return (
    <div className="uploads-place">
      <aside className="uploads" aria-label="Uploads">
        <div className="row uploads-head">
          <div className="spread">
            <div className="row">
              <h2>{title}</h2>
              {failed && <span className="bad small">{failed}</span>}
            </div>
            <div className="quiet small cut">{text}</div>
          </div>
          <AriaButton
            className={
              isOpen ? 'button quiet square uploads-toggle' : 'button quiet square uploads-toggle shut'
            }
            aria-label="The single uploads"
            aria-expanded={isOpen}
            onPress={() => setOpen(!isOpen)}
          >
            <Icon name="chevron" />
          </AriaButton>
        </div>
        <Progress label="Sent of all uploads" value={share} />
        {/* Says each quarter, and no more. */}
        <span className="hidden-text" role="status">
          {Math.floor(share * 4) * 25} % of the uploads are sent{failed && `, ${failed}`}
        </span>
        {isOpen && (
          <div className="uploads-rows" style={{ height: Math.min(uploads.length, MOST_ROWS) * ROW }}>
            <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: ROW }}>
              <RowList className="upload-list" aria-label="Uploads under way" items={uploads}>
                {(upload) => <Row upload={upload} onRename={() => setRenamed(upload)} />}
              </RowList>
            </Virtualizer>
          </div>
        )}
        {renamed && (
          <NameDialog
            title="Another name"
            action="Go on"
            initial={renamed.name}
            onSubmit={async (name) => queue.rename(renamed.id, name)}
            onClose={() => setRenamed(undefined)}
          />
        )}
      </aside>
    </div>
  )
}

interface RowProps {
  upload: QueuedUpload
  /** Opens the dialog for another name. */
  onRename: () => void
}

function Row({ upload, onRename }: RowProps) {
  const { name, source, state, sent_bytes, error } = upload
  const isFailed = error !== undefined
  const sent = source.size_bytes === 0 ? 0 : sent_bytes / source.size_bytes
  return (
    <GridListItem id={upload.id} className="upload" textValue={name}>
      <div className="spread">
        <div className="row upload-text">
          <span className="cut">{name}</span>
          <span className={isFailed ? 'bad small upload-state' : 'quiet small upload-state'}>
            {isFailed ? told(error) : outlook(upload)}
          </span>
        </div>
        {state !== 'lost' && !isFailed && <Progress label={`Sent of ${name}`} value={sent} />}
      </div>
      <Controls upload={upload} onRename={onRename} />
    </GridListItem>
  )
}

function Controls({ upload, onRename }: RowProps) {
  const queue = useQueue()
  const { id, name, state, error } = upload
  return (
    <>
      {(state === 'sending' || state === 'waiting') && (
        <IconButton icon="pause" label={`Pause ${name}`} onPress={() => queue.pause(id)} />
      )}
      {state === 'paused' && (
        <IconButton icon="play" label={`Resume ${name}`} onPress={() => queue.resume(id)} />
      )}
      {state === 'failed' &&
        !isRejected(error) &&
        !(error instanceof ContentChangedError) &&
        (isRefusal(error, 'DUPLICATE_ASSET_NAME') ? (
          <Button onPress={onRename}>Choose another name</Button>
        ) : isRefusal(error, 'PRECONDITION_FAILED') ? (
          <Button onPress={() => queue.resume(id)}>Replace nevertheless</Button>
        ) : (
          <IconButton icon="restore" label={`Try ${name} again`} onPress={() => queue.resume(id)} />
        ))}
      {state === 'lost' && (
        <FileTrigger
          onSelect={(files) => {
            const content = files?.item(0)
            if (content) queue.resume(id, content)
          }}
        >
          <Button>Choose the file</Button>
        </FileTrigger>
      )}
      <IconButton icon="close" label={`Cancel ${name}`} onPress={() => queue.cancel(id).catch(showError)} />
    </>
  )
}

function told(error: unknown): string {
  if (isRefusal(error, 'PRECONDITION_FAILED')) return 'The file was changed since this upload began.'
  if (error instanceof ContentChangedError)
    return 'The file on this device has changed, or can’t be read any more. Cancel, and upload it again.'
  return error instanceof ServiceError ? `${error.message} (${error.code})` : messageOf(error)
}

/** The progress of an upload, and what it waits for. */
function outlook({ state, name, source, sent_bytes }: QueuedUpload): string {
  const size = formatBytes(source.size_bytes)
  if (state === 'waiting') return `waits · ${size}`
  if (state === 'lost') {
    const same = source.name === name ? 'the same file' : source.name
    const kept = sent_bytes > 0 ? `${formatBytes(sent_bytes)} of ${size} are sent` : size
    return `choose ${same} again to go on · ${kept}`
  }
  if (state === 'sending' && sent_bytes > 0 && sent_bytes === source.size_bytes)
    return `${size} sent · being checked`
  if (state === 'checking') return `${size} sent · being checked before it can be used`
  const sent = `${formatBytes(sent_bytes)} of ${size}`
  return state === 'paused' ? `paused · ${sent}` : sent
}
