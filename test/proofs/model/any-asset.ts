import type { Draw } from './act.ts'
import { isListed } from './asset-record.ts'
import { anAsset, aPlayer, type Target } from './choose.ts'
import type { World } from './state.ts'

/** Somebody, and an asset that they may read: their own, or often one that everybody may. */
export function anyAsset(world: World, draw: Draw): Target {
  const [user, isOwn] = [aPlayer(world, draw), draw.chance(30)]
  const target = anAsset(world, draw, (asset) => isOwn || (isListed(asset) && asset.versions.length > 0))
  return isOwn ? target : { ...target, user }
}
