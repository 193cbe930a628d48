import type { SharedWithMe } from 'edge-game-storage-client'
import { Button } from '../controls/button.tsx'
import { formatBytes } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { showError, showNotice } from '../controls/notice.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { saveFrom } from '../files/download.ts'
import { kindOf } from '../files/item.ts'
import { BlockButton } from '../operators/moderate.tsx'
import { useSession } from '../session/session.tsx'
import { untilWhen } from './shares-dialog.tsx'
import './shares.css'

/** The service does not push new shares, so the list is read again at this interval while it is shown. */
const REFRESH_MS = 5_000

/** The files that others have shared with the user. */
export function SharedScreen() {
  const { client, changed } = useSession()
  const list = usePages({
    queryKey: ['shared'],
    read: (cursor, signal) => client.shares.listSharedWithMe(cursor, { signal }).page(),
    itemsOf: (page) => page.shares,
    refreshMs: REFRESH_MS,
  })
  const attempt = async (act: () => Promise<unknown>) => {
    try {
      await act()
    } catch (error) {
      showError(error)
    }
    await changed('shares')
  }
  const download = ({ id, file }: SharedWithMe) =>
    attempt(async () => saveFrom((await client.shares.getUrl({ id })).url, file.name))
  const leave = ({ id, file }: SharedWithMe) =>
    attempt(async () => {
      await client.shares.revoke({ id })
      showNotice(`You have left ${file.name}.`)
    })
  const leaveAll = (owner_id: string) =>
    attempt(async () => {
      await client.shares.leaveOwner({ owner_id })
      showNotice(`You have left everything that ${owner_id} shared.`)
    })
  return (
    <div className="stack">
      <PageTitle>Shared with me</PageTitle>
      <Pages
        list={list}
        empty={
          <Empty icon="share" title="Nothing is shared with you">
            Open a second pane, sign in as somebody else, and share a file with this user there. It appears
            here by itself.
          </Empty>
        }
      >
        {(shares) => (
          <ul className="plain-list boxed" aria-label="Files shared with me">
            {shares.map((share) => (
              <Row key={share.id} share={share} onDownload={download} onLeave={leave} onLeaveAll={leaveAll} />
            ))}
          </ul>
        )}
      </Pages>
    </div>
  )
}

interface RowProps {
  share: SharedWithMe
  onDownload: (share: SharedWithMe) => Promise<void>
  onLeave: (share: SharedWithMe) => Promise<void>
  onLeaveAll: (owner_id: string) => Promise<void>
}

function Row({ share, onDownload, onLeave, onLeaveAll }: RowProps) {
  const { file, permission, expires_at } = share
  return (
    <li className="row shared">
      <Icon name={kindOf(file)} />
      <span className="spread">
        <span className="cut shared-name">{file.name}</span>
        <span className="quiet small">
          {file.in_trash ? `in the trash of ${file.owner_id}` : `of ${file.owner_id}`} ·{' '}
          {formatBytes(file.size_bytes)} · {permission}, {untilWhen(expires_at)}
        </span>
      </span>
      <Button
        icon="down"
        aria-label={`Download ${file.name}`}
        isDisabled={file.in_trash}
        onPress={() => void onDownload(share)}
      >
        Download
      </Button>
      <Button aria-label={`Leave ${file.name}`} onPress={() => void onLeave(share)}>
        Leave
      </Button>
      <BlockButton kind="files" id={file.id} name={file.name} />
      <Button onPress={() => void onLeaveAll(file.owner_id)}>Leave all of {file.owner_id}</Button>
    </li>
  )
}
