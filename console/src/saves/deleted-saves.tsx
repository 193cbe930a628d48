import { useMutation } from '@tanstack/react-query'
import type { ListedSave } from 'edge-game-storage-client'
import { GridListItem } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { formatTime } from '../controls/format.ts'
import { showError, showNotice } from '../controls/notice.tsx'
import { RowList } from '../controls/row-list.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { detailsText, etagOf } from './save.ts'
import { SaveRow } from './save-row.tsx'

/** Deleted saves: each can be restored. */
export function DeletedSaves({ saves }: { saves: readonly ListedSave[] }) {
  const { client, changed } = useSession()
  const restore = useMutation({
    mutationFn: (save: ListedSave) => client.saves.restore({ slot: save.slot }, { ifMatch: etagOf(save) }),
    onSuccess: ({ slot }) => showNotice(`${slot} is restored.`),
    onError: showError,
    onSettled: () => changed('saves'),
  })
  if (saves.length === 0)
    return (
      <Empty icon="trash" title="Nothing is deleted">
        A deleted save stays here for some days, unless other saves need its room. It can be restored until
        then, or until something writes into its slot.
      </Empty>
    )
  return (
    <RowList
      className="asset-list"
      aria-label="Deleted saves"
      items={saves.map((save) => ({ ...save, id: save.slot }))}
    >
      {(save) => (
        <GridListItem textValue={save.slot} className="asset-row">
          <SaveRow
            title={save.slot}
            facts={[detailsText(save), `deleted ${formatTime(save.deleted_at ?? save.updated_at)}`]}
          />
          <Button icon="restore" onPress={() => restore.mutate(save)}>
            Restore
          </Button>
        </GridListItem>
      )}
    </RowList>
  )
}
