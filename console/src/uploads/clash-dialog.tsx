import { useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatBytes, formatTime } from '../controls/format.ts'
import { isFolder } from '../files/item.ts'
import { type Clash, type Decision, isReplaceable } from './plan.ts'

interface Props {
  clashes: readonly Clash[]
  /** Called with a decision for each clash; with undefined when the dialog is closed. */
  onDecided: (decisions: readonly Decision[] | undefined) => void
}

/** Asks what to do with each chosen file whose name is in the folder already. Closing it uploads nothing. */
export function ClashDialog({ clashes, onDecided }: Props) {
  const [decisions, setDecisions] = useState<readonly Decision[]>([])
  const [isForAll, setForAll] = useState(false)
  const left = clashes.slice(decisions.length)
  const [clash] = left
  if (!clash) return null
  const { content, existing } = clash
  const canReplace = isReplaceable(existing)
  const decide = (decision: Decision) => {
    // What can't be replaced is kept, too.
    const decided = (isForAll ? left : [clash]).map((one) =>
      decision === 'replace' && !isReplaceable(one.existing) ? 'both' : decision,
    )
    const all = [...decisions, ...decided]
    if (all.length === clashes.length) onDecided(all)
    else setDecisions(all)
  }
  return (
    <Dialog title={`${content.name} is here already`} isOpen onClose={() => onDecided(undefined)}>
      <dl className="facts clash">
        <dt>Here</dt>
        <dd>
          {isFolder(existing) ? 'a folder' : formatBytes(existing.size_bytes)} ·{' '}
          {formatTime(existing.updated_at)}
        </dd>
        <dt>Chosen</dt>
        <dd>
          {formatBytes(content.size)} · {formatTime(Math.floor(content.lastModified / 1_000))}
        </dd>
      </dl>
      <p className="quiet">
        {canReplace
          ? 'Replacing keeps the file’s shares and its place, and its old content is gone.'
          : isFolder(existing)
            ? 'A file can’t replace a folder.'
            : 'Its content is still being uploaded, so it can’t be replaced yet.'}
      </p>
      {left.length > 1 && (
        <Checkbox className="checkbox" isSelected={isForAll} onChange={setForAll}>
          <span className="box" />
          Do the same for the other {left.length - 1}
        </Checkbox>
      )}
      <div className="row dialog-actions">
        <Button onPress={() => decide('skip')}>Skip</Button>
        <Button onPress={() => decide('replace')} isDisabled={!canReplace}>
          Replace
        </Button>
        <Button look="primary" onPress={() => decide('both')} autoFocus>
          Keep both
        </Button>
      </div>
    </Dialog>
  )
}
