import type { WriteConflict } from 'edge-game-storage-client'
import type { ReactNode } from 'react'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatTime } from '../controls/format.ts'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { contentOf } from './content.ts'
import { ContentText } from './content-text.tsx'
import type { Details } from './save.ts'
import { SaveDetails } from './save-details.tsx'
import { useContent } from './use-content.ts'
import type { useDevice } from './use-device.ts'

interface Props {
  name: string
  device: ReturnType<typeof useDevice>
  conflict: WriteConflict
}

/** What a device would write beside what the slot has, and the choice between them. */
export function ConflictDialog({ name, device, conflict }: Props) {
  const { slot, current, mine } = conflict
  const { read, error, isPending } = device
  const theirs = useContent(current)
  const own = contentOf(mine.bytes, mine.mime_type ?? '')
  const details: Details = {
    device: mine.device ?? null,
    label: mine.label ?? null,
    played_seconds: mine.played_seconds ?? null,
    size_bytes: mine.bytes.length,
  }
  return (
    <Dialog title={`Which ${slot} is to stay?`} isOpen isWide onClose={device.postpone}>
      <p>
        {name} has read {read?.base === undefined ? 'nothing' : `revision ${read.base}`}.{' '}
        {current
          ? `Since then, revision ${current.revision} was written${current.device === null ? '' : ` on ${current.device}`}.`
          : 'Since then, the save was deleted.'}{' '}
        Nothing is lost yet.
      </p>
      <div className="save-sides">
        <Side title={`Mine, on ${name}`}>
          <SaveDetails details={details} time="not yet" />
          <ContentText content={own} other={theirs.data} label="My content" />
          <Button isDisabled={isPending} onPress={() => void device.keepMine(conflict)}>
            {current ? 'Write mine over it' : 'Write mine'}
          </Button>
        </Side>
        {current && (
          <Side title={`Current, revision ${current.revision}`}>
            <SaveDetails details={current} time={formatTime(current.updated_at)} />
            {theirs.isPending && <Waiting rows={2} />}
            {theirs.isError && <ErrorNote error={theirs.error} onRetry={() => void theirs.refetch()} />}
            {theirs.data && <ContentText content={theirs.data} other={own} label="Current content" />}
            <Button isDisabled={isPending} onPress={() => void device.refresh()}>
              Keep the current one
            </Button>
          </Side>
        )}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {current && (
        <div className="save-both">
          <Button look="primary" isDisabled={isPending} onPress={() => void device.keepBoth(conflict)}>
            Keep both
          </Button>
          <span className="quiet small spread">
            The current one stays, and mine becomes a revision in the history.
          </span>
        </div>
      )}
    </Dialog>
  )
}

function Side({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="stack save-side" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}
