import type { SharedWithMe, Target } from 'edge-game-storage-client'
import { useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Button as TextButton } from '../controls/button.tsx'
import { formatBytes } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { showError, showNotice } from '../controls/notice.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { saveFrom } from '../files/download.ts'
import { kindOf } from '../files/item.ts'
import { useMute } from '../mutes/use-mutes.ts'
import { BlockButton } from '../operators/moderate.tsx'
import { OpenCase } from '../operators/moderation/open-case.tsx'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { SharedPreview } from './shared-preview.tsx'
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
  const attempt = async (act: () => Promise<unknown>, change: 'shares' | 'left' = 'left') => {
    try {
      await act()
    } catch (error) {
      showError(error)
    }
    await changed(change)
  }
  const download = ({ id, file }: SharedWithMe) =>
    attempt(async () => saveFrom((await client.shares.getUrl({ id })).url, file.name), 'shares')
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
  const mute = useMute()
  const { query, change } = usePlace()
  const open = (id: string) => change({ preview: id })
  const opened = list.items.find(({ id }) => id === query.preview)
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
              <Row
                key={share.id}
                share={share}
                ofOwner={shares.filter(({ file }) => file.owner_id === share.file.owner_id).length}
                onOpen={open}
                onDownload={download}
                onLeave={leave}
                onLeaveAll={leaveAll}
                onMute={(owner_id) => mute(owner_id, true)}
              />
            ))}
          </ul>
        )}
      </Pages>
      {opened && (
        <SharedPreview
          share={opened}
          shares={list.items}
          onShow={open}
          onDownload={download}
          onClose={() => change({ preview: '' })}
        />
      )}
    </div>
  )
}

interface RowProps {
  share: SharedWithMe
  /** How many of the listed files have the same owner. */
  ofOwner: number
  onOpen: (id: string) => void
  onDownload: (share: SharedWithMe) => Promise<void>
  onLeave: (share: SharedWithMe) => Promise<void>
  onLeaveAll: (owner_id: string) => Promise<void>
  onMute: (owner_id: string) => Promise<void>
}

function Row({ share, ofOwner, onOpen, onDownload, onLeave, onLeaveAll, onMute }: RowProps) {
  const { id, file, permission, expires_at } = share
  const { name, owner_id, in_trash } = file
  const [reported, setReported] = useState<Target>()
  return (
    <li className="row shared">
      <Button className="shared-open spread" isDisabled={in_trash} onPress={() => onOpen(id)}>
        <span className="hidden-text">Open </span>
        <Icon name={kindOf(file)} size={20} />
        <span className="spread">
          <span className="cut shared-name" dir="auto">
            {name}
          </span>
          <span className="quiet small">
            Shared by {owner_id}
            {in_trash && ', who has deleted it'} · {formatBytes(file.size_bytes)} · may {permission},{' '}
            {untilWhen(expires_at)}
          </span>
        </span>
      </Button>
      <TextButton
        icon="down"
        aria-label={`Download ${name}`}
        isDisabled={in_trash}
        onPress={() => void onDownload(share)}
      >
        Download
      </TextButton>
      <TextButton aria-label={`Leave ${name}`} onPress={() => void onLeave(share)}>
        Leave
      </TextButton>
      <OpenCase target={{ type: 'file', id: file.id }} name={name} />
      <BlockButton kind="files" id={file.id} name={name} />
      <MenuTrigger>
        <Button className="button quiet square" aria-label={`More for ${name}`}>
          <Icon name="more" />
        </Button>
        <Popover className="popover">
          <Menu className="menu" aria-label={`More for ${name}`}>
            {ofOwner > 1 && (
              <MenuItem className="menu-item" onAction={() => void onLeaveAll(owner_id)}>
                Leave all from {owner_id}
              </MenuItem>
            )}
            <MenuItem className="menu-item" onAction={() => void onMute(owner_id)}>
              Mute {owner_id}
            </MenuItem>
            <MenuItem className="menu-item" onAction={() => setReported({ type: 'file', id: file.id })}>
              Report {name}
            </MenuItem>
            <MenuItem className="menu-item" onAction={() => setReported({ type: 'user', id: owner_id })}>
              Report {owner_id}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {reported && (
        <ReportDialog
          target={reported}
          name={reported.type === 'file' ? name : owner_id}
          onClose={() => setReported(undefined)}
        />
      )}
    </li>
  )
}
