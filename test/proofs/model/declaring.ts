import type { ErrorCode } from '../../../src/platform/errors.ts'
import type { Draw } from './act.ts'
import { ownAsset, versionOf } from './asset-record.ts'
import { aName, anAsset, anItem, aPage, aPlace, aPlayer } from './choose.ts'
import { CHECKED_TYPE, checksums, picture, sizes } from './content.ts'
import { isMatch } from './etags.ts'
import { isTaken } from './names.ts'
import type { Asset, Builds, Page, World } from './state.ts'
import { entryRefusal, ownLive } from './tree.ts'

const types = ['file', 'file', 'chat_attachment', 'emote', 'profile_pic'] as const

export const isPictureType = (asset_type: string | undefined) =>
  asset_type === 'emote' || asset_type === 'profile_pic'

/** The body that starts an upload. */
export interface Declared extends Page {
  upload_type: 'file' | 'game_asset'
  size_bytes: number
  mime_type: string
  checksum_sha256?: string
  file_id?: string
  asset_id?: string
  name?: string
  asset_type?: string
  parent_id?: string | null
  visibility?: string
  notes?: string
  min_build?: number | null
  max_build?: number | null
  platform?: string
  /** The version that gets a variant. */
  version?: number
}

/** Somebody, and what they declare of an upload: new content for something, or something new. */
export function declaration(world: World, draw: Draw): { user: string; json: Declared } {
  const file = anItem(world, draw, ({ trashed_at, mime_type }) => trashed_at === null && mime_type !== null)
  const asset = anAsset(world, draw)
  const [player, kind, name, asset_type] = [aPlayer(world, draw), draw.below(5), aName(draw), draw.of(types)]
  const parent_id = aPlace(world, player, draw)
  const [size, isChecked, isPublic] = [draw.of(sizes) ?? 0, draw.chance(25), draw.chance(60)]
  const isPicture = kind < 2 && isPictureType(asset_type)
  const mime_type = draw.chance(50) ? CHECKED_TYPE : 'text/plain'
  const size_bytes = isPicture ? picture.length : size
  const content = {
    size_bytes,
    mime_type: isPicture ? 'image/gif' : mime_type,
    ...(isChecked && !isPicture && { checksum_sha256: checksums[size_bytes] }),
  }
  const visibility = isPublic ? 'public' : 'private'
  const [page, notes] = [aPage(draw), draw.one('', 'A fifth tower.')]
  const [builds, platform] = [someBuilds(draw), draw.of([undefined, ...platforms])]
  const ofVersion = { notes, ...builds, ...(platform !== undefined && { platform }) }
  const [isVariant, variant] = [
    draw.chance(40),
    { version: draw.one(1, 1, 2, 9), platform: platform ?? 'pc' },
  ]
  if (kind < 2)
    return { user: player, json: { upload_type: 'file', name, asset_type, parent_id, ...content } }
  if (kind === 2) return { user: file.user, json: { upload_type: 'file', file_id: file.id, ...content } }
  if (kind === 3)
    return {
      user: asset.user,
      json: {
        upload_type: 'game_asset',
        asset_id: asset.id,
        ...(isVariant ? variant : ofVersion),
        ...content,
      },
    }
  return {
    user: player,
    json: {
      upload_type: 'game_asset',
      name,
      asset_type: isPublic ? 'world' : 'avatar',
      visibility,
      ...ofVersion,
      ...page,
      ...content,
    },
  }
}

export function startRefusal(
  world: World,
  user: string,
  json: Declared,
  header: string | undefined,
): ErrorCode | undefined {
  const { limits } = world
  if (json.file_id !== undefined) {
    const file = ownLive(world, user, json.file_id)
    if (!file) return 'FILE_NOT_FOUND'
    if (!isMatch(file, header)) return 'PRECONDITION_FAILED'
    if (file.asset_type === 'folder') return 'FILE_IS_FOLDER'
    if (isPictureType(file.asset_type)) return 'VALIDATION_FAILED'
    const isAwaited = file.processing_state === 'pending' || file.processing_state === 'processing'
    return isAwaited ? 'FILE_NOT_READY' : undefined
  }
  if (json.asset_id !== undefined) {
    const asset = ownAsset(world, user, json.asset_id)
    if (!asset) return 'ASSET_NOT_FOUND'
    if (!isMatch(asset, header)) return 'PRECONDITION_FAILED'
    if (json.size_bytes === 0) return 'VALIDATION_FAILED'
    if (json.version !== undefined) return variantRefusal(asset, json.version, json.platform)
    return asset.versions.length >= limits.MAX_VERSIONS_PER_ASSET ? 'LIMIT_REACHED' : undefined
  }
  if (json.upload_type === 'game_asset')
    return isTaken(world, user, json.name) ? 'DUPLICATE_ASSET_NAME' : undefined
  return entryRefusal(world, user, json.parent_id ?? null)
}

/** Why a version gets no variant. */
export function variantRefusal(
  asset: Asset,
  number: number,
  platform: string | null | undefined,
): ErrorCode | undefined {
  const version = versionOf(asset, number)
  if (!version) return 'VERSION_NOT_FOUND'
  const taken = [
    version.platform,
    ...version.deleted_platforms,
    ...version.variants.map((one) => one.platform),
  ]
  return taken.includes(platform ?? null) ? 'DUPLICATE_PLATFORM' : undefined
}

/** The platforms of the story. */
export const platforms = ['pc', 'web'] as const

/** Builds that a version fits, of the three that ask. */
export function someBuilds(draw: Draw): Partial<Builds> {
  return (
    draw.of<Partial<Builds>>([{}, {}, { min_build: 5 }, { max_build: 5 }, { min_build: 4, max_build: 9 }]) ??
    {}
  )
}

export function isEmpty({ size_bytes, upload_type, asset_type }: Declared): boolean {
  return size_bytes === 0 && (upload_type === 'game_asset' || isPictureType(asset_type))
}

/** What is for one PUT only is refused before the file or the asset is looked for; but nobody relies on that. */
export function alsoUnseen(world: World, user: string, json: Declared): ErrorCode[] {
  const refusal = startRefusal(world, user, json, undefined)
  return refusal ? [refusal] : []
}
