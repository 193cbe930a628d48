import type { ErrorCode } from '../../../src/errors.ts'
import {
  type Act,
  agrees,
  type Command,
  creates,
  type Draw,
  drawKey,
  keyHeader,
  member,
  newIdIn,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import { aName, anAsset, aPlayer, isKept, type Target } from './choose.ts'
import { expectUrl } from './content.ts'
import { allPages } from './files.ts'
import {
  assetRecord,
  byNewest,
  isListed,
  newAsset,
  newestFirst,
  newVersion,
  ownAsset,
  readable,
  versionRecord,
} from './game-assets.ts'
import { isTaken } from './names.ts'
import { now, type World } from './world.ts'

/** Somebody, and an asset that they may read: their own, or often one that everybody may. */
function anyAsset(world: World, draw: Draw): Target {
  const [user, isOwn] = [aPlayer(world, draw), draw.chance(30)]
  const target = anAsset(world, draw, (asset) => isOwn || (isListed(asset) && asset.versions.length > 0))
  return isOwn ? target : { ...target, user }
}

export const branchAsset: Command = {
  operation: 'branchAsset',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    const [name, key] = [aName(draw), drawKey(draw)]
    const from_version = draw.one(undefined, undefined, 1, 2, 9, 0)
    const json = { name, from_version }
    return branches(user, id, json, key)
  },
}

export function branches(
  user: string,
  id: string,
  json: { name: string; from_version?: number },
  key?: string,
): Act {
  const { name, from_version } = json
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
          const [version] = asset?.versions ?? []
          if (!asset || !version) return refused(answer, 'ASSET_NOT_FOUND')
          agrees(answer, 201, { asset: assetRecord(asset), version: versionRecord(version) })
        },
        make: () => {
          const source = readable(world, user, id)
          const version = source?.versions[(from_version ?? source.versions.length) - 1]
          const refusal = branchRefusal(world, user, id, version !== undefined, name)
          if (refusal) refused(answer, refusal)
          if (refusal || !source || !version) return undefined
          const { size_bytes, content } = version
          if (refusedForWantOf(room(world, user, { assets: 1, bytes: size_bytes }), answer)) return undefined
          const asset = newAsset(world, {
            id: newIdIn(world, member(answer, 'asset', 'id')),
            owner_id: user,
            type: source.type,
            name,
            visibility: 'private',
            blocked: source.blocked,
            branched_from: id,
          })
          const first = newVersion(world, asset, {
            id: newIdIn(world, member(answer, 'version', 'id')),
            size_bytes,
            content,
            branched_from_asset_id: id,
            branched_from_version: version.version,
          })
          agrees(answer, 201, { asset: assetRecord(asset), version: versionRecord(first) })
          return asset.id
        },
      }),
  }
}

function branchRefusal(
  world: World,
  user: string,
  id: string,
  hasVersion: boolean,
  name: string,
): ErrorCode | undefined {
  const source = readable(world, user, id)
  if (!source) return 'ASSET_NOT_FOUND'
  if (source.versions.length === 0) return 'NO_VERSIONS_TO_BRANCH'
  if (!hasVersion) return 'VERSION_NOT_FOUND'
  return isTaken(world, user, name) ? 'DUPLICATE_ASSET_NAME' : undefined
}

export const rollBackAsset: Command = {
  operation: 'rollBackAsset',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && asset.versions.length > 0)
    const [from_version, key] = [draw.one(1, 2, 3, 0), drawKey(draw)]
    const json = { from_version }
    return {
      key,
      says: `${user} rolls ${id} back to ${from_version} (${key})`,
      send: (service) =>
        service.request(user, 'POST', `/game/assets/${id}/versions`, {
          json,
          headers: keyHeader(key),
        }),
      judge: (world, answer) =>
        creates(world, answer, {
          caller: user,
          key,
          request: ['rollBackAsset', id, json],
          again: (made) => {
            const version = ownAsset(world, user, id)?.versions.find((version) => version.id === made)
            if (version) agrees(answer, 201, versionRecord(version))
            else refused(answer, 'ASSET_NOT_FOUND')
          },
          make: () => {
            const asset = ownAsset(world, user, id)
            const old = asset?.versions[from_version - 1]
            const isFull = asset?.versions.length === world.limits.MAX_VERSIONS_PER_ASSET
            const refusal = !asset
              ? 'ASSET_NOT_FOUND'
              : !old
                ? 'VERSION_NOT_FOUND'
                : isFull
                  ? 'LIMIT_REACHED'
                  : undefined
            if (refusal) refused(answer, refusal)
            if (refusal || !asset || !old) return undefined
            const { size_bytes, content } = old
            if (refusedForWantOf(room(world, user, { bytes: size_bytes }), answer)) return undefined
            const version = newVersion(world, asset, {
              id: newIdIn(world, member(answer, 'id')),
              size_bytes,
              content,
            })
            agrees(answer, 201, versionRecord(version))
            return version.id
          },
        }),
    }
  },
}

export const getAsset: Command = {
  operation: 'getAsset',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    return readsAsset(user, id)
  },
}

export function readsAsset(user: string, id: string): Act {
  return {
    says: `${user} reads asset ${id}`,
    send: (service) => service.request(user, 'GET', `/game/assets/${id}`),
    judge: (world, answer) => {
      const asset = readable(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      agrees(answer, 200, { ...assetRecord(asset), versions: newestFirst(asset, 10) })
    },
  }
}

export const listVersions: Command = {
  operation: 'listVersions',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    return listsVersions(user, id, draw.one(100, 1, 2))
  },
}

export function listsVersions(user: string, id: string, limit: number): Act {
  return {
    says: `${user} lists the versions of ${id}`,
    send: (service) =>
      allPages(
        { limit },
        (query) => service.request(user, 'GET', `/game/assets/${id}/versions?${query}`),
        'versions',
      ),
    judge: (world, answer) => {
      const asset = readable(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      agrees(answer, 200, { versions: newestFirst(asset), next_cursor: null })
    },
  }
}

/** Reads a version, or asks for a URL of its content. */
function versionCommand(operation: string, isUrl: boolean): Command {
  return {
    operation,
    writes: false,
    draw: (world, draw) => {
      const { user, id } = anyAsset(world, draw)
      const number = draw.one(1, 2, 7)
      return {
        says: `${user}: ${operation} ${number} of ${id}`,
        send: (service) =>
          service.request(user, 'GET', `/game/assets/${id}/versions/${number}${isUrl ? '/url' : ''}`),
        judge: (world, answer) => {
          const asset = readable(world, user, id)
          const version = asset?.versions[number - 1]
          if (!asset || !version) return refused(answer, asset ? 'VERSION_NOT_FOUND' : 'ASSET_NOT_FOUND')
          if (isUrl) expectUrl(world, answer, version.content, now(world) + world.limits.DOWNLOAD_URL_TTL)
          else agrees(answer, 200, versionRecord(version))
        },
      }
    },
  }
}

export const getVersion = versionCommand('getVersion', false)
export const getVersionUrl = versionCommand('getVersionUrl', true)

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
      ),
    judge: (world, answer) => {
      if (!readable(world, user, id)) return refused(answer, 'ASSET_NOT_FOUND')
      const branches = byNewest(world).filter(
        (asset) => asset.branched_from === id && readable(world, user, asset.id) !== undefined,
      )
      agrees(answer, 200, { branches: branches.map(assetRecord), next_cursor: null })
    },
  }
}

export const getPublicAsset: Command = {
  operation: 'getPublicAsset',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    const type = draw.one(world.assets.get(id)?.type ?? 'world', 'avatar')
    return {
      says: `${user} reads public ${type} ${id}`,
      send: (service) => service.request(user, 'GET', `/game/public/${type}/${id}`),
      judge: (world, answer) => {
        const asset = world.assets.get(id)
        if (!asset || !isListed(asset) || asset.type !== type) return refused(answer, 'ASSET_NOT_FOUND')
        agrees(answer, 200, { ...assetRecord(asset), versions: newestFirst(asset, 1) })
      },
    }
  },
}

const searches = [undefined, 'a', 'B', 'c c', 's', 'c ', 'ase', 'ÄSE', '0%', ' 10', '_00', '"'] as const

export const browseAssets: Command = {
  operation: 'browseAssets',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    return browses(user, draw.of(searches), draw.one(undefined, 'world', 'prop'), draw.one(100, 1, 2))
  },
}

export function browses(user: string, q: string | undefined, type: string | undefined, limit: number): Act {
  return {
    says: `${user} browses for ${q} (${type})`,
    send: (service) =>
      allPages(
        { q, type, limit },
        (query) => service.request(user, 'GET', `/game/public?${query}`),
        'assets',
      ),
    judge: (world, answer) => {
      const found = byNewest(world).filter(
        (asset) => isListed(asset) && (type ?? asset.type) === asset.type && isFound(asset.name, q),
      )
      agrees(answer, 200, { assets: found.map(assetRecord), next_cursor: null })
    },
  }
}

/** Case and accents forgiven; what is shorter than three characters is looked for at the beginning. */
function isFound(name: string, q: string | undefined): boolean {
  if (q === undefined) return true
  const [plainName, plain] = [plainly(name), plainly(q)]
  return plain.length < 3 ? plainName.startsWith(plain) : plainName.includes(plain)
}

function plainly(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
}
