import { useQuery } from '@tanstack/react-query'
import { isReadOnlySlot, type SaveOfHistory } from 'edge-game-storage-client'
import { useState } from 'react'
import { Breadcrumb, Breadcrumbs, Link } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { formatTime } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { showNotice, showUndo } from '../controls/notice.tsx'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import { useTitle } from '../shell/place.tsx'
import { Device } from './device.tsx'
import { DownloadSave } from './download-save.tsx'
import { History } from './history.tsx'
import { detailsText, etagOf, SAVES } from './save.ts'

interface Props {
  slot: string
  onClose: () => void
}

/** The page of a slot: the devices that write it, and its history. */
export function SlotPage({ slot, onClose }: Props) {
  const { client } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [SAVES, 'revisions', slot],
    queryFn: ({ signal }) => client.saves.listRevisions({ slot }, { signal }),
    refetchOnWindowFocus: true,
  })
  useTitle(slot)
  const isGone = isRefusal(error, 'SAVE_NOT_FOUND')
  const current = data?.revisions.find(({ is_current }) => is_current)
  return (
    <div className="stack asset-screen">
      <Breadcrumbs className="asset-crumbs">
        <Breadcrumb>
          <Link className="asset-link" onPress={onClose}>
            Saves
          </Link>
        </Breadcrumb>
        <Breadcrumb>
          <Link className="asset-link cut" dir="auto">
            {slot}
          </Link>
        </Breadcrumb>
      </Breadcrumbs>
      {isPending ? (
        <Waiting />
      ) : isGone ? (
        <Empty icon="save" title="This save is deleted">
          It can be restored from Deleted, in the list of saves.
        </Empty>
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : (
        current && <Page current={current} revisions={data?.revisions ?? []} onDeleted={onClose} />
      )}
    </div>
  )
}

interface PageProps {
  current: SaveOfHistory
  revisions: readonly SaveOfHistory[]
  onDeleted: () => void
}

/** The devices that a player has in the console. */
const devices = ['Phone', 'Desktop'] as const

function Page({ current, revisions, onDeleted }: PageProps) {
  const { client, changed } = useSession()
  const [count, setCount] = useState(1)
  const [isDeleting, setDeleting] = useState(false)
  const { slot, revision } = current
  const isReadOnly = isReadOnlySlot(slot)
  return (
    <>
      <header className="asset-title">
        <span className="asset-icon">
          <Icon name="save" size={18} />
        </span>
        <div className="spread">
          <h1 className="cut">{slot}</h1>
          <p className="quiet small">
            {detailsText(current)} · revision {revision}, {formatTime(current.updated_at)}
          </p>
        </div>
        <div className="row asset-actions">
          {!isReadOnly && (
            <Button icon="columns" onPress={() => setCount(count === 1 ? 2 : 1)}>
              {count === 1 ? 'Second device' : 'One device'}
            </Button>
          )}
          <DownloadSave slot={slot} revision={revision} isNamed />
          {!isReadOnly && (
            <Button look="danger" icon="trash" onPress={() => setDeleting(true)}>
              Delete
            </Button>
          )}
        </div>
      </header>
      <p className="quiet">
        {isReadOnly
          ? 'Only the studio’s servers write this slot. Players read it.'
          : count === 1
            ? 'A device sends the revision that it has read with what it writes. Add a second one, and write on both.'
            : 'Write on one device, then on the other: that one has not read what the first has written, and you choose.'}
      </p>
      {!isReadOnly && (
        <div className={`devices of-${count}`}>
          {devices.slice(0, count).map((name) => (
            <Device key={name} name={name} slot={slot} current={revision} />
          ))}
        </div>
      )}
      <h2>History</h2>
      <History slot={slot} revisions={revisions} current={current} />
      {isDeleting && (
        <Confirm
          title={`Delete ${slot}?`}
          action="Delete"
          onConfirm={async () => {
            await client.saves
              .delete({ slot }, { ifMatch: etagOf(current) })
              .catch(async (error: unknown) => {
                // Another device has written meanwhile: the page shows that before it can be deleted.
                await changed('saves')
                throw error
              })
            showUndo(`${slot} is deleted. It can be restored from Deleted.`, async () => {
              await client.saves.restore({ slot }, { ifMatch: etagOf(current) })
              showNotice(`${slot} is restored.`)
              await changed('saves')
            })
            onDeleted()
            await changed('saves', { isLeaving: true })
          }}
          onClose={() => setDeleting(false)}
        >
          It can be restored for some days, with its history, unless other saves need its room before.
        </Confirm>
      )}
    </>
  )
}
