import type { AssetVersion, GameAsset, GameAssetSummary, WithEtag } from 'edge-game-storage-client'
import type { IconName } from '../controls/icon.tsx'

export type Asset = GameAssetSummary
/** An asset as its page shows it. `etag` belongs to this state of it. */
export type AssetWithPage = WithEtag<GameAsset>
export type Version = AssetVersion
export type AssetType = Asset['type']

export const types: Readonly<Record<AssetType, string>> = { world: 'World', avatar: 'Avatar', prop: 'Prop' }

/** The choices of a list: one type, or all. */
export const typeChoices = { all: 'All types', world: 'Worlds', avatar: 'Avatars', prop: 'Props' } as const
export type TypeChoice = keyof typeof typeChoices

export function isTypeChoice(name: unknown): name is TypeChoice {
  return typeof name === 'string' && Object.hasOwn(typeChoices, name)
}

/** The type as a parameter of the service's lists. */
export function typeOf(choice: TypeChoice): { type?: AssetType } {
  return choice === 'all' ? {} : { type: choice }
}

export const typeIcons: Readonly<Record<AssetType, IconName>> = { world: 'map', avatar: 'user', prop: 'box' }

/** The first part of every query key about assets: a change of an asset makes all these queries stale. */
export const ASSETS = 'assets'

export function versionText({ current_version }: Asset): string {
  return current_version === 0 ? 'no content yet' : `version ${current_version}`
}
