import type { Client } from 'edge-game-storage-client'
import { isRefusal } from '../session/session.tsx'
import type { Asset } from './asset.ts'

/** The asset and the version that an asset was branched from. */
export interface Origin {
  id: string
  version: number
}

/** The ancestors of an asset, the nearest first. `hidden`: the next one, which the user can't see. */
export interface Ancestry {
  ancestors: readonly Asset[]
  hidden: Origin | undefined
}

/** Limits the requests of a lineage. Longer chains of branches are not expected. */
const MOST_ANCESTORS = 20

/** Follows the origins of an asset up to the first one, or to one that the user can't see. */
export async function ancestryOf(client: Client, asset: Asset, signal: AbortSignal): Promise<Ancestry> {
  const ancestors: Asset[] = []
  for (let of = asset; ancestors.length < MOST_ANCESTORS; ) {
    const origin = await originOf(client, of, signal)
    if (!origin) break
    const above = await visible(client, origin.id, signal)
    if (!above) return { ancestors, hidden: origin }
    ancestors.push(above)
    of = above
  }
  return { ancestors, hidden: undefined }
}

/** The origin of an asset; undefined when it was not branched, or when the user may not see its origin. */
export async function originOf(
  client: Client,
  { id, current_version }: Asset,
  signal: AbortSignal,
): Promise<Origin | undefined> {
  if (current_version === 0) return undefined
  const first = await client.assets.getVersion({ id, version: 1 }, { signal })
  const { branched_from_asset_id, branched_from_version } = first
  if (branched_from_asset_id === null || branched_from_version === null) return undefined
  return { id: branched_from_asset_id, version: branched_from_version }
}

async function visible(client: Client, id: string, signal: AbortSignal): Promise<Asset | undefined> {
  try {
    return await client.assets.get({ id }, { signal })
  } catch (error) {
    if (isRefusal(error, 'ASSET_NOT_FOUND')) return undefined
    throw error
  }
}
