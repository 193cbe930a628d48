import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { LargeContent, QuotaPart } from 'edge-game-storage-client'
import { useState } from 'react'
import { IconButton } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatBytes } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import './storage.css'

const kinds: Record<QuotaPart['kind'], string> = {
  file: 'Files',
  profile_pic: 'Profile pictures',
  emote: 'Emotes',
  chat_attachment: 'Chat attachments',
  world: 'Worlds',
  avatar: 'Avatars',
  prop: 'Props',
  preview: 'Previews of assets',
  open_upload: 'Open uploads',
}

/** Shows what takes the user's storage, by kind, and lets the user delete the largest contents. */
export function StorageDialog({ title, onClose }: { title: string; onClose: () => void }) {
  const { client } = useSession()
  const [asked, setAsked] = useState<LargeContent>()
  const breakdown = useQuery({
    queryKey: ['quota', 'breakdown'],
    queryFn: ({ signal }) => client.quota.breakdown({ signal }),
    staleTime: 0,
  })
  const { data } = breakdown
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {breakdown.isPending ? (
        <Waiting rows={4} />
      ) : breakdown.isError ? (
        <ErrorNote error={breakdown.error} onRetry={() => void breakdown.refetch()} />
      ) : (
        data && (
          <div className="stack">
            <Parts parts={data.parts} used={data.used_bytes} limit={data.limit_bytes} />
            {data.largest.length > 0 && <Largest largest={data.largest} onDelete={setAsked} />}
          </div>
        )
      )}
      {asked && <Deletion content={asked} onClose={() => setAsked(undefined)} />}
    </Dialog>
  )
}

/** A bar with the parts that have bytes, the largest first, and their names. */
function Parts({ parts, used, limit }: { parts: QuotaPart[]; used: number; limit: number }) {
  const shown = parts.filter(({ bytes }) => bytes > 0).sort((one, other) => other.bytes - one.bytes)
  return (
    <>
      <p className="quiet">
        {formatBytes(used)} of {formatBytes(limit)} used
      </p>
      <div className="storage-bar" aria-hidden="true">
        {shown.map(({ kind, bytes }) => (
          <div
            key={kind}
            className={`storage-part part-${kind}`}
            style={{ flexGrow: bytes / Math.max(used, limit, 1) }}
          />
        ))}
        <div style={{ flexGrow: Math.max(0, limit - used) / Math.max(used, limit, 1) }} />
      </div>
      <ul className="plain-list storage-kinds" aria-label="Storage by kind">
        {shown.map(({ kind, bytes }) => (
          <li key={kind} className="row">
            <span className={`storage-key part-${kind}`} aria-hidden="true" />
            <span className="spread">{kinds[kind]}</span>
            <span className="quiet">{formatBytes(bytes)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function Largest({
  largest,
  onDelete,
}: {
  largest: LargeContent[]
  onDelete: (content: LargeContent) => void
}) {
  return (
    <section className="stack">
      <h3>The largest</h3>
      <ul className="plain-list boxed" aria-label="The largest contents">
        {largest.map((content) => (
          <li key={content.id} className="row storage-row">
            <Icon name={content.type === 'file' ? 'file' : 'box'} size={18} />
            <span className="spread">
              <span className="cut" dir="auto">
                {content.name}
              </span>
              <span className="quiet small">
                {formatBytes(content.bytes)}
                {content.version !== null && ` · version ${content.version}`}
                {content.in_trash && ' · in the trash'}
              </span>
            </span>
            <IconButton icon="trash" label={`Delete ${nameOf(content)}`} onPress={() => onDelete(content)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Deletes a content permanently, because the trash takes storage, too. */
function Deletion({ content, onClose }: { content: LargeContent; onClose: () => void }) {
  const { client, changed } = useSession()
  const cache = useQueryClient()
  const { id, asset_id, version, in_trash } = content
  const remove = async () => {
    if (asset_id === null || version === null) {
      if (!in_trash) await unlessGone(client.files.delete({ id }))
      await unlessGone(client.trash.delete({ id }))
    } else if (in_trash) await client.assets.delete({ id: asset_id, permanent: true })
    else await client.assets.deleteVersion({ id: asset_id, version })
    showNotice(`${nameOf(content)} is deleted.`)
    for (const name of ['quota', 'files', 'trash']) void cache.invalidateQueries({ queryKey: [name] })
    if (asset_id !== null) await changed('assets')
  }
  return (
    <Confirm
      title={`Delete ${nameOf(content)} permanently?`}
      action="Delete permanently"
      onConfirm={remove}
      onClose={onClose}
    >
      {asset_id === null
        ? 'The file can’t be restored afterwards.'
        : in_trash
          ? 'The asset can’t be restored afterwards, with all its versions.'
          : 'The version can’t be restored afterwards. An asset keeps its current version: delete the asset, or upload another version first.'}
    </Confirm>
  )
}

/**
 * Passes over FILE_NOT_FOUND. A breakdown looks one folder up: a file whose deleted folder is further up is in the trash already, or is
 * already being deleted permanently.
 */
async function unlessGone(act: Promise<unknown>): Promise<void> {
  try {
    await act
  } catch (error) {
    if (!isRefusal(error, 'FILE_NOT_FOUND')) throw error
  }
}

function nameOf({ name, version, in_trash }: LargeContent): string {
  return version === null || in_trash ? name : `version ${version} of ${name}`
}
