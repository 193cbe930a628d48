import type { Target } from 'edge-game-storage-client/studio'
import { Picture } from '../../assets/picture.tsx'
import { Icon } from '../../controls/icon.tsx'
import { targetIcons } from '../../reports/words.ts'
import { useAssetOf } from './use-asset-of.ts'

/** The preview of an asset, or an icon of what the case is about. */
export function ThumbnailOfCase({ target }: { target: Target }) {
  const { data } = useAssetOf(target)
  return (
    <span className="case-thumbnail">
      {data ? <Picture asset={data} place="card" /> : <Icon name={targetIcons[target.type]} size={22} />}
    </span>
  )
}
