import { useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../controls/confirm.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import type { Asset } from './asset.ts'
import type { Channel } from './releases/release.ts'

interface Props {
  asset: Asset
  version: number
  /** The channels of the version. */
  channels: readonly Channel[]
  onClose: () => void
}

/** Deletes a version permanently. Says why that is not possible for the newest version, and for one with channels. */
export function DeleteVersion(props: Props) {
  const { client, changed } = useSession()
  const cache = useQueryClient()
  const { asset, version, channels, onClose } = props
  const { id, name } = asset
  if (version === asset.current_version)
    return (
      <Dialog title={`Version ${version} is the current one`} isOpen onClose={onClose}>
        <p>
          An asset keeps its current version (<code>VERSION_IS_CURRENT</code>). Upload another one or roll
          back first: then version {version} can be deleted.
        </p>
      </Dialog>
    )
  if (channels.length > 0)
    return (
      <Dialog title={`Version ${version} has a channel`} isOpen onClose={onClose}>
        <p>
          Players or testers get version {version} by {channels.map(({ channel }) => channel).join(', ')}.
          Move that to another version first: then version {version} can be deleted.
        </p>
      </Dialog>
    )
  return (
    <Confirm
      title={`Delete version ${version} of ${name}?`}
      action="Delete version"
      onConfirm={async () => {
        await client.assets.deleteVersion({ id, version })
        showNotice(`Version ${version} of ${name} is deleted.`)
        void cache.invalidateQueries({ queryKey: ['quota'] })
        await changed('assets')
      }}
      onClose={onClose}
    >
      It is deleted permanently, for everybody. Branches, and versions that were rolled back to it, keep their
      content.
    </Confirm>
  )
}
