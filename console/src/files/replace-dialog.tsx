import { Confirm } from '../controls/confirm.tsx'
import { formatBytes, formatTime } from '../controls/format.ts'
import { useQueue } from '../uploads/uploads.tsx'
import type { Item } from './item.ts'

/** Asks before the content of a file is replaced, because the old content is lost. */
export function ReplaceDialog(props: { item: Item; content: File; onClose: () => void }) {
  const { item, content, onClose } = props
  const queue = useQueue()
  return (
    <Confirm
      title={`Replace the content of ${item.name}?`}
      action="Replace"
      onConfirm={async () => queue.addContent(content, item)}
      onClose={onClose}
    >
      <div className="stack">
        <dl className="facts clash">
          <dt>Here</dt>
          <dd>
            {formatBytes(item.size_bytes)} · {formatTime(item.updated_at)}
          </dd>
          <dt>Chosen</dt>
          <dd>
            {content.name} · {formatBytes(content.size)} ·{' '}
            {formatTime(Math.floor(content.lastModified / 1_000))}
          </dd>
        </dl>
        <p className="quiet">
          The old content is lost: no trash keeps it. The file keeps its name, its place and its shares.
        </p>
      </div>
    </Confirm>
  )
}
