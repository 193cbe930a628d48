/** What is newer than what a device has. */
import type { ClientErrorCode, ErrorCode } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { InstalledVersion } from './store.ts'

/** The most items of a request. */
const ITEMS = 100

/** How much of the content of an asset has arrived. */
export interface UpdateProgress {
  asset_id: string
  /** Those of an earlier run included. Decreases when content is damaged, and requested again. */
  received_bytes: number
  /** The bytes of the content. */
  size_bytes: number
}

/** The options of `assets.update`. */
export interface UpdateOptions extends RequestOptions {
  /** The platform that content is wanted for. Without it: content for all, or what a version's own content is for. */
  platform?: string | undefined
  /** The build of the game: versions that don't fit it are passed over. */
  build?: number | undefined
  /** Assets that the device is to have, too; with a `channel_key`, as of that channel's version. */
  assets?: readonly { asset_id: string; channel_key?: string | undefined }[] | undefined
  /** Called with the progress of each asset whose content is downloaded. */
  onProgress?: ((progress: UpdateProgress) => void) | undefined
}

/** What `assets.update` has found, and installed where it was given a place for it. */
export interface UpdateResult {
  /** The versions that are newer than those of the device, in place of which they are to be. */
  updates: InstalledVersion[]
  /** The assets that have no update, and why. What the device has of them stays. */
  refused: { asset_id: string; code: ErrorCode | ClientErrorCode }[]
}

/** What is asked about one asset. */
export interface UpdateItem {
  asset_id: string
  /** What the device has; 0: nothing. */
  version: number
  platform?: string
  channel_key?: string
}

type Answer = InstalledVersion | { asset_id: string; version: null } | { asset_id: string; code: ErrorCode }

/** Sends a request of `POST /v1/game/updates`. */
export type AskForUpdates = (
  given: { items: UpdateItem[]; build?: number },
  options: RequestOptions,
) => Promise<{ updates: Answer[] }>

/** What to ask about: each asset that is installed, and each that is to be. */
export function itemsOf(
  installed: readonly Pick<InstalledVersion, 'asset_id' | 'version'>[],
  { platform, assets = [] }: UpdateOptions,
): UpdateItem[] {
  const versions = new Map(assets.map(({ asset_id }) => [asset_id, 0]))
  for (const { asset_id, version } of installed) versions.set(asset_id, version)
  const keys = new Map(assets.map(({ asset_id, channel_key }) => [asset_id, channel_key]))
  return [...versions].map(([asset_id, version]) => {
    const channel_key = keys.get(asset_id)
    return {
      asset_id,
      version,
      ...(platform !== undefined && { platform }),
      ...(channel_key !== undefined && { channel_key }),
    }
  })
}

/** Asks about items, as many at a time as a request takes. */
export async function findUpdates(
  ask: AskForUpdates,
  items: UpdateItem[],
  { build, signal }: UpdateOptions,
): Promise<UpdateResult> {
  const found: UpdateResult = { updates: [], refused: [] }
  for (let at = 0; at < items.length; at += ITEMS) {
    const given = { items: items.slice(at, at + ITEMS), ...(build !== undefined && { build }) }
    for (const answer of (await ask(given, { signal })).updates)
      if ('code' in answer) found.refused.push(answer)
      else if (answer.version !== null) found.updates.push(answer)
  }
  return found
}
