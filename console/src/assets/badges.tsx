import type { Asset } from './asset.ts'
import { ratings } from './rating.ts'

/** Whether an asset is public, kept out of the catalogue, or blocked, and for whom it is. */
export function Badges({ asset: { visibility, listed, rating, blocked } }: { asset: Asset }) {
  return (
    <>
      {visibility === 'public' && <span className="asset-badge">Public</span>}
      {visibility === 'public' && !listed && <span className="asset-badge">Unlisted</span>}
      {rating !== null && <span className="asset-badge">{ratings[rating]}</span>}
      {blocked && <span className="asset-badge bad">Blocked</span>}
    </>
  )
}
