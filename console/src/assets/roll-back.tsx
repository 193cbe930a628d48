import { Confirm } from '../controls/confirm.tsx'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import type { Asset } from './asset.ts'

interface Props {
  asset: Asset
  from_version: number
  onClose: () => void
}

/** Makes the content of a version the newest version. */
export function RollBack({ asset, from_version, onClose }: Props) {
  const { client, changed } = useSession()
  return (
    <Confirm
      title={`Roll ${asset.name} back?`}
      action="Roll back"
      onConfirm={async () => {
        const { version } = await client.assets.rollBack({ id: asset.id, from_version })
        showNotice(`Version ${version} has the content of version ${from_version}.`)
        await changed('assets')
      }}
      onClose={onClose}
    >
      The content of version {from_version} becomes the newest version, {asset.current_version + 1}. No
      version is lost, and nothing more counts in the quota.
    </Confirm>
  )
}
