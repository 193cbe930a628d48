import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconButton } from '../controls/button.tsx'
import { UsedBar } from '../controls/used-bar.tsx'
import { useSession } from '../session/session.tsx'
import { StorageDialog } from './storage-dialog.tsx'

/** Shows how much of their storage the user has used, and on request what takes it. */
export function QuotaBar() {
  const { client, isOnBehalf } = useSession()
  const [isOpen, setOpen] = useState(false)
  const quota = useQuery({ queryKey: ['quota'], queryFn: ({ signal }) => client.quota.get({ signal }) })
  const title = `What takes ${isOnBehalf ? 'their' : 'my'} storage`
  return (
    <div className="row">
      <UsedBar label="Storage used" used={quota.data} error={quota.error} />
      <IconButton icon="info" label={title} onPress={() => setOpen(true)} />
      {isOpen && <StorageDialog title={title} onClose={() => setOpen(false)} />}
    </div>
  )
}
