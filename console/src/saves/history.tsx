import { useMutation } from '@tanstack/react-query'
import { isReadOnlySlot, type SaveOfHistory } from 'edge-game-storage-client'
import { useState } from 'react'
import { GridListItem } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatTime } from '../controls/format.ts'
import { showError, showNotice } from '../controls/notice.tsx'
import { RowList } from '../controls/row-list.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { ContentText } from './content-text.tsx'
import { DownloadSave } from './download-save.tsx'
import { detailsText, etagOf } from './save.ts'
import { SaveDetails } from './save-details.tsx'
import { SaveRow } from './save-row.tsx'
import { useContent } from './use-content.ts'

interface Props {
  slot: string
  revisions: readonly SaveOfHistory[]
  current: SaveOfHistory
}

/** The revisions of a slot, newest first. Enter or a press opens one. */
export function History({ slot, revisions, current }: Props) {
  const { client, changed } = useSession()
  const [opened, setOpened] = useState<SaveOfHistory>()
  const restore = useMutation({
    mutationFn: (revision: number) => client.saves.restore({ slot, revision }, { ifMatch: etagOf(current) }),
    onSuccess: ({ revision }, from) =>
      showNotice(`Revision ${revision} has the content of revision ${from}.`),
    onError: showError,
    onSettled: () => changed('saves'),
  })
  return (
    <>
      <RowList
        className="asset-list"
        aria-label={`Revisions of ${slot}`}
        items={revisions.map((revision) => ({ ...revision, id: revision.revision }))}
        dependencies={[current]}
        onAction={(id) => setOpened(revisions.find(({ revision }) => revision === id))}
      >
        {(save) => (
          <GridListItem textValue={`Revision ${save.revision}`} className="asset-row opens">
            <SaveRow
              title={`Revision ${save.revision}`}
              badges={
                save.is_current ? (
                  <span className="asset-badge">Current</span>
                ) : save.is_kept ? (
                  <span className="asset-badge save-kept" title="A write that was refused, and kept">
                    Kept
                  </span>
                ) : null
              }
              facts={[detailsText(save), writtenText(save)]}
            />
            <DownloadSave slot={slot} revision={save.revision} />
            {!save.is_current && !isReadOnlySlot(slot) && (
              <IconButton
                icon="restore"
                label={`Restore revision ${save.revision}`}
                onPress={() => restore.mutate(save.revision)}
              />
            )}
          </GridListItem>
        )}
      </RowList>
      {opened && <RevisionDialog revision={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

/** When a revision was written, and by whom if not by the player. */
function writtenText({ updated_at, written_by, recall_id }: SaveOfHistory): string {
  const time = formatTime(updated_at)
  if (recall_id !== null) return `${time}, taken back by the studio`
  return written_by === null ? time : `${time}, written by ${written_by}`
}

function RevisionDialog({ revision: save, onClose }: { revision: SaveOfHistory; onClose: () => void }) {
  const content = useContent(save)
  return (
    <Dialog title={`Revision ${save.revision} of ${save.slot}`} isOpen onClose={onClose}>
      <SaveDetails details={save} time={formatTime(save.updated_at)} />
      {content.isPending && <Waiting rows={2} />}
      {content.isError && <ErrorNote error={content.error} onRetry={() => void content.refetch()} />}
      {content.data && <ContentText content={content.data} label="Content" />}
      <DownloadSave slot={save.slot} revision={save.revision} isNamed />
    </Dialog>
  )
}
