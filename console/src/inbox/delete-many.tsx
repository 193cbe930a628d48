import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { formatCount } from '../controls/format.ts'
import type { DeviceInbox } from './use-inbox.ts'

/** Buttons that delete what is read, or the whole inbox, once that is confirmed. */
export function DeleteMany({ inbox, snapshot }: Pick<DeviceInbox, 'inbox' | 'snapshot'>) {
  const [asked, setAsked] = useState<'read' | 'all'>()
  const { total, unread } = snapshot ?? { total: 0, unread: 0 }
  const count = formatCount(asked === 'read' ? total - unread : total, 'notification')
  return (
    <>
      <Button onPress={() => setAsked('read')} isDisabled={total === unread}>
        Delete read
      </Button>
      <Button onPress={() => setAsked('all')} isDisabled={total === 0}>
        Delete all
      </Button>
      {asked && (
        <Confirm
          title={asked === 'read' ? 'Delete what is read?' : 'Delete all notifications?'}
          action={asked === 'read' ? 'Delete read' : 'Delete all'}
          onConfirm={async () => (asked === 'read' ? inbox?.deleteRead() : inbox?.deleteAll())}
          onClose={() => setAsked(undefined)}
        >
          {count} of the whole inbox, also those that a filter hides, can’t be restored afterwards, on any
          device.
        </Confirm>
      )}
    </>
  )
}
