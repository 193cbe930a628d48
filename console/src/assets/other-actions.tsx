import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import type { Asset } from './asset.ts'
import { BranchDialog } from './branch-dialog.tsx'
import { DownloadVersion } from './download-version.tsx'

/** The actions of other users on a public asset. */
export function OtherActions({ asset, onBranched }: { asset: Asset; onBranched: (id: string) => void }) {
  const [isBranching, setBranching] = useState(false)
  if (asset.current_version === 0) return null
  return (
    <>
      <Button look="primary" icon="branch" onPress={() => setBranching(true)}>
        Branch
      </Button>
      <DownloadVersion id={asset.id} version={asset.current_version} isNamed />
      {isBranching && (
        <BranchDialog asset={asset} onBranched={onBranched} onClose={() => setBranching(false)} />
      )}
    </>
  )
}
