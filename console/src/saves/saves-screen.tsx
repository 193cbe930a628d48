import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Icon } from '../controls/icon.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { UsedBar } from '../controls/used-bar.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { DeletedSaves } from './deleted-saves.tsx'
import { NewSave } from './new-save.tsx'
import { SAVES } from './save.ts'
import { SaveList } from './save-list.tsx'
import { SlotPage } from './slot-page.tsx'
import './saves.css'

export const build = BUILD

/** The list of deleted slots, in the query: a slot may have any name. */
const DELETED = 'deleted'

/** The user's saves: the slots, or the page of one. */
export function SavesScreen() {
  const {
    path: [slot],
    go,
  } = usePlace()
  if (slot !== undefined) return <SlotPage slot={slot} onClose={() => go([])} />
  return <Slots onOpen={(opened) => go([opened])} />
}

/** The slots, or the deleted ones, with the room that all of them use. */
function Slots({ onOpen }: { onOpen: (slot: string) => void }) {
  const { client } = useSession()
  const { query, change } = usePlace()
  const deleted = query.list === DELETED
  const [isNew, setNew] = useState(false)
  const list = useQuery({
    queryKey: [SAVES, 'list', deleted],
    queryFn: ({ signal }) => client.saves.list({ deleted }, { signal }),
    // A game may have written meanwhile.
    refetchOnWindowFocus: true,
  })
  return (
    <div className="stack asset-screen">
      <PageTitle
        actions={
          <>
            {/* The list shows the error. */}
            <UsedBar label="Room of saves" used={list.data} error={null} />
            <ToggleButton
              className="button plain toggle"
              isSelected={deleted}
              onChange={(is) => change({ list: is ? DELETED : '' })}
            >
              <Icon name="trash" />
              Deleted
            </ToggleButton>
            <Button look="primary" icon="plus" onPress={() => setNew(true)}>
              New save
            </Button>
          </>
        }
      >
        Saves
      </PageTitle>
      {list.isPending ? (
        <Waiting />
      ) : list.isError ? (
        <ErrorNote error={list.error} onRetry={() => void list.refetch()} />
      ) : deleted ? (
        <DeletedSaves saves={list.data.saves} />
      ) : (
        <SaveList saves={list.data.saves} onOpen={onOpen} />
      )}
      {isNew && <NewSave onClose={() => setNew(false)} />}
    </div>
  )
}
