import type { Asset } from './asset.ts'

/** Whether an asset is public, kept out of the catalogue, or blocked. */
export function Badges({ asset: { visibility, listed, blocked } }: { asset: Asset }) {
  return (
    <>
      {visibility === 'public' && <span className="asset-badge">Public</span>}
      {visibility === 'public' && !listed && <span className="asset-badge">Unlisted</span>}
      {blocked && <span className="asset-badge bad">Blocked</span>}
    </>
  )
}
