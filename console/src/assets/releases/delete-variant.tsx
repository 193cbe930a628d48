import { useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../../controls/confirm.tsx'
import { showNotice } from '../../controls/notice.tsx'
import { useSession } from '../../session/session.tsx'
import type { AssetWithPage } from '../asset.ts'

interface Props {
  asset: AssetWithPage
  version: number
  platform: string
  onClose: () => void
}

/** Deletes the content of a version for a platform. */
export function DeleteVariant({ asset: { id, etag }, version, platform, onClose }: Props) {
  const { client, changed } = useSession()
  const cache = useQueryClient()
  return (
    <Confirm
      title={`Delete the content of version ${version} for ${platform}?`}
      action="Delete content"
      onConfirm={async () => {
        await client.assets.deleteVariant({ id, version, platform }, { ifMatch: etag })
        showNotice(`Version ${version} has no content for ${platform} any more.`)
        void cache.invalidateQueries({ queryKey: ['quota'] })
        await changed('assets')
      }}
      onClose={onClose}
    >
      It is deleted permanently, and version {version} never gets other content for {platform}: that is a new
      version.
    </Confirm>
  )
}
