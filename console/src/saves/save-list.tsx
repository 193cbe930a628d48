import type { ListedSave } from 'edge-game-storage-client'
import { GridListItem } from 'react-aria-components'
import { formatTime } from '../controls/format.ts'
import { RowList } from '../controls/row-list.tsx'
import { Empty } from '../controls/status.tsx'
import { DownloadSave } from './download-save.tsx'
import { detailsText } from './save.ts'
import { SaveRow } from './save-row.tsx'

interface Props {
  saves: readonly ListedSave[]
  onOpen: (slot: string) => void
}

/** The slots, the latest first. Enter or a press opens one. */
export function SaveList({ saves, onOpen }: Props) {
  if (saves.length === 0)
    return (
      <Empty icon="save" title="No saves yet">
        A game writes a player’s progress into slots. Each write is a revision that can be restored.
      </Empty>
    )
  return (
    <RowList
      className="asset-list"
      aria-label="Your saves"
      items={saves.map((save) => ({ ...save, id: save.slot }))}
      onAction={(slot) => onOpen(String(slot))}
    >
      {(save) => (
        <GridListItem textValue={save.slot} className="asset-row opens">
          <SaveRow
            title={save.slot}
            facts={[detailsText(save), `revision ${save.revision}, ${formatTime(save.updated_at)}`]}
          />
          <DownloadSave slot={save.slot} revision={save.revision} />
        </GridListItem>
      )}
    </RowList>
  )
}
