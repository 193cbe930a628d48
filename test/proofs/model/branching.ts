import type { ErrorCode } from '../../../src/platform/errors.ts'
import {
  type Act,
  agrees,
  type Command,
  creates,
  drawKey,
  keyHeader,
  member,
  newIdIn,
  type Requests,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import { anyAsset } from './any-asset.ts'
import {
  assetRecord,
  assetSummary,
  byNewest,
  copiesOf,
  currentVersion,
  isInCatalogue,
  isSeenBy,
  levelOf,
  newAsset,
  newVersion,
  ownAsset,
  readable,
  readableAs,
  seenBy,
  versionOf,
  versionRecord,
} from './asset-record.ts'
import { drawChannelKey } from './channels.ts'
import { aName } from './choose.ts'
import { isTaken } from './names.ts'
import { allPages } from './pages.ts'
import { type Asset, bornAt, type Rating, type World } from './state.ts'

export const branchAsset: Command = {
  operation: 'branchAsset',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    const [name, key] = [aName(draw), drawKey(draw)]
    const from_version = draw.one(undefined, undefined, 1, 2, 9, 0)
    const rating = draw.one<Rating | undefined>(undefined, undefined, 'everyone', 'teen', 'mature')
    const json = { name, from_version, rating, channel_key: drawChannelKey(world, id, draw) }
    return branches(user, id, json, key)
  },
}

export function branches(
  user: string,
  id: string,
  json: { name: string; from_version?: number; rating?: Rating; channel_key?: string | undefined },
  key?: string,
): Act<Requests> {
  const { name, from_version, rating = null, channel_key } = json
  return {
    key,
    says: `${user} branches ${id} ${JSON.stringify(json)} (${key})`,
    send: (service) =>
      service.request(user, 'POST', `/game/assets/${id}/branch`, {
        json,
        headers: keyHeader(key),
      }),
    judge: (world, answer) =>
      creates(world, answer, {
        caller: user,
        key,
        request: ['branchAsset', id, json],
        again: (made) => {
          const asset = ownAsset(world, user, made)
          const version = versionOf(asset, 1)
          if (!asset || !version) return refused(answer, asset ? 'VERSION_NOT_FOUND' : 'ASSET_NOT_FOUND')
          agrees(answer, 201, { asset: assetRecord(asset), version: versionRecord(version) })
        },
        make: () => {
          const source = readableAs(world, user, id, channel_key)
          const version =
            typeof source === 'string' ? undefined : versionOf(source, from_version ?? currentVersion(source))
          const refusal = branchRefusal(world, user, source, version !== undefined, name)
          if (refusal) refused(answer, refusal)
          if (refusal || typeof source === 'string' || !version) return undefined
          const { content, min_build, max_build, platform, variants } = version
          const size_bytes = [version, ...variants].reduce((sum, one) => sum + one.size_bytes, 0)
          const more = { assets: 1, versions: 1 + variants.length, bytes: size_bytes }
          if (refusedForWantOf(room(world, user, more), answer)) return undefined
          const asset = newAsset(world, {
            id: newIdIn(world, member(answer, 'asset', 'id')),
            owner_id: user,
            type: source.type,
            name,
            visibility: 'private',
            blocked: source.blocked,
            ...(source.owner_id === user && takenOver(source)),
            branched_from: id,
            description: source.description,
            tags: source.tags,
            rating: levelOf(rating) > levelOf(source.rating) ? rating : (source.rating ?? rating),
          })
          const first = newVersion(world, asset, {
            id: newIdIn(world, member(answer, 'version', 'id')),
            size_bytes: version.size_bytes,
            checksum_sha256: version.checksum_sha256,
            content,
            min_build,
            max_build,
            platform,
            variants: copiesOf(version, bornAt(world, user)),
            branched_from_asset_id: id,
            branched_from_version: version.version,
          })
          agrees(answer, 201, { asset: assetRecord(asset), version: versionRecord(first) })
          return asset.id
        },
      }),
  }
}

/** What a moderator has done to an asset goes over to its owner's branches. */
function takenOver({ blocked, unlisted, rating_locked, measure }: Asset): Partial<Asset> {
  const isMeasured = measure && ['rate', 'unlist', 'block'].includes(measure.action)
  if (!blocked && !unlisted && rating_locked === null) return {}
  return { unlisted, rating_locked, measure: isMeasured ? { ...measure, isOwn: false } : undefined }
}

function branchRefusal(
  world: World,
  user: string,
  source: ReturnType<typeof readableAs>,
  hasVersion: boolean,
  name: string,
): ErrorCode | undefined {
  if (typeof source === 'string') return source
  if (source.versions.length === 0) return 'NO_VERSIONS_TO_BRANCH'
  if (!hasVersion) return 'VERSION_NOT_FOUND'
  return isTaken(world, user, name) ? 'DUPLICATE_ASSET_NAME' : undefined
}

export const listBranches: Command = {
  operation: 'listBranches',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    return listsBranches(user, id, draw.one(100, 1))
  },
}

export function listsBranches(user: string, id: string, limit: number): Act {
  return {
    says: `${user} lists the branches of ${id}`,
    send: (service) =>
      allPages(
        { limit },
        (query) => service.request(user, 'GET', `/game/assets/${id}/branches?${query}`),
        'branches',
        'pages may be short',
      ),
    judge: (world, answer) => {
      if (!readable(world, user, id)) return refused(answer, 'ASSET_NOT_FOUND')
      const branches = byNewest(world).filter(
        (asset) =>
          asset.branched_from === id &&
          (asset.owner_id === user
            ? asset.deleted_at === null
            : isInCatalogue(asset) && isSeenBy(user, asset)),
      )
      agrees(answer, 200, {
        branches: branches.map((branch) => assetSummary(seenBy(user, branch))),
        next_cursor: null,
      })
    },
  }
}
