import { NameDialog } from '../controls/name-dialog.tsx'
import { tell } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import type { Asset } from './asset.ts'

interface Props {
  asset: Asset
  /** Default: the latest one. */
  from_version?: number
  /** Told the id of the branch. */
  onBranched: (id: string) => void
  onClose: () => void
}

/** Makes a private asset of the user's own out of a version. */
export function BranchDialog({ asset, from_version, onBranched, onClose }: Props) {
  const { client, user_id, changed } = useSession()
  const version = from_version ?? asset.current_version
  return (
    <NameDialog
      title={`Branch ${asset.name}`}
      action="Branch"
      initial={asset.owner_id === user_id ? `${asset.name} 2` : asset.name}
      onSubmit={async (name) => {
        const { asset: branch } = await client.branchAsset({ id: asset.id, name, from_version: version })
        tell(`${branch.name} is branched from version ${version} of ${asset.name}.`)
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
