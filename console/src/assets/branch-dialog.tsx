import { NameDialog } from '../controls/name-dialog.tsx'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import type { Asset } from './asset.ts'

interface Props {
  asset: Asset
  /** Default: the latest one. */
  from_version?: number
  /** Called with the id of the branch. */
  onBranched: (id: string) => void
  onClose: () => void
}

/** Branches a version: creates a private asset of the user's own from it. */
export function BranchDialog({ asset, from_version, onBranched, onClose }: Props) {
  const { client, user_id, changed } = useSession()
  const version = from_version ?? asset.current_version
  return (
    <NameDialog
      title={`Branch ${asset.name}`}
      action="Branch"
      initial={asset.owner_id === user_id ? `${asset.name} 2` : asset.name}
      onSubmit={async (name) => {
        const { asset: branch } = await client.assets.branch({ id: asset.id, name, from_version: version })
        showNotice(`${branch.name} is branched from version ${version} of ${asset.name}.`)
        await changed('assets')
        onBranched(branch.id)
      }}
      onClose={onClose}
    >
      Version {version} becomes the first version of a private asset of yours. Its size counts in your quota,
      and it stays when {asset.name} goes.
    </NameDialog>
  )
}
