import type { InboxSnapshot } from 'edge-game-storage-client'
import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { formatCount } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'

/** Buttons that delete what is read, or the whole inbox, once that is confirmed. */
export function DeleteMany({ snapshot }: { snapshot: InboxSnapshot | undefined }) {
  const { client } = useSession()
  const [asked, setAsked] = useState<'read' | 'all'>()
  const { total, unread } = snapshot ?? { total: 0, unread: 0 }
  const count = formatCount(asked === 'read' ? total - unread : total, 'notification')
  return (
    <>
      <Button onPress={() => setAsked('read')} isDisabled={total === unread}>
        Delete read
      </Button>
      <Button look="danger" onPress={() => setAsked('all')} isDisabled={total === 0}>
        Delete all
      </Button>
      {asked && (
        <Confirm
          title={asked === 'read' ? 'Delete what is read?' : 'Delete all notifications?'}
          action={asked === 'read' ? 'Delete read' : 'Delete all'}
          onConfirm={async () => {
            const selection = asked === 'read' ? ({ state: 'read' } as const) : ({ all: true } as const)
            const { deleted_count } = await client.deleteNotifications(selection)
            showNotice(`${formatCount(deleted_count, 'notification')} deleted.`)
          }}
          onClose={() => setAsked(undefined)}
        >
          {count} of the whole inbox, also those that a filter hides, can’t be restored afterwards, on any
          device.
        </Confirm>
      )}
    </>
  )
}
