import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { MuteButton } from '../mutes/mute-button.tsx'
import { BlockButton } from '../operators/moderate.tsx'
import { OpenCase } from '../operators/moderation/open-case.tsx'
import type { Asset } from './asset.ts'
import { AssetMenu } from './asset-menu.tsx'
import { BranchDialog } from './branch-dialog.tsx'
import { DownloadVersion } from './download-version.tsx'

/** The actions of other users on a public asset. */
export function OtherActions({ asset, onBranched }: { asset: Asset; onBranched: (id: string) => void }) {
  const [isBranching, setBranching] = useState(false)
  const hasContent = asset.current_version > 0
  return (
    <>
      {hasContent && (
        <>
          <Button look="primary" icon="branch" onPress={() => setBranching(true)}>
            Branch
          </Button>
          <DownloadVersion id={asset.id} version={asset.current_version} isNamed />
        </>
      )}
      <AssetMenu asset={asset} choices={[]} />
      <MuteButton user_id={asset.owner_id} />
      <OpenCase target={{ type: 'asset', id: asset.id }} name={asset.name} />
      <BlockButton kind="assets" id={asset.id} name={asset.name} />
      {isBranching && (
        <BranchDialog asset={asset} onBranched={onBranched} onClose={() => setBranching(false)} />
      )}
    </>
  )
}
