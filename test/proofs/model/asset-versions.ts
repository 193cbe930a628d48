import {
  type Act,
  agrees,
  type Command,
  commandOn,
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
  changedAsset,
  currentVersion,
  newestFirst,
  newVersion,
  ownAsset,
  readable,
  versionFor,
  versionOf,
  versionRecord,
} from './asset-record.ts'
import { anAsset, isKept } from './choose.ts'
import { expectUrl } from './content.ts'
import { drawIfMatch, expectEtag, ifMatch, isMatch } from './etags.ts'
import { allPages } from './pages.ts'
import { changedAt, now } from './state.ts'

export const rollBackAsset: Command = {
  operation: 'rollBackAsset',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && asset.versions.length > 0)
    const [from_version, key] = [draw.one(1, 2, 3, 0), drawKey(draw)]
    return rollsBack(user, id, from_version, key, draw.one(undefined, 'As it was.', ''))
  },
}

export function rollsBack(
  user: string,
  id: string,
  from_version: number,
  key?: string,
  notes?: string,
): Act<Requests> {
  const json = { from_version, ...(notes !== undefined && { notes }) }
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
          const asset = ownAsset(world, user, id)
          const version = asset?.versions.find((version) => version.id === made)
          if (version) agrees(answer, 201, versionRecord(version))
          else refused(answer, asset ? 'VERSION_NOT_FOUND' : 'ASSET_NOT_FOUND')
        },
        make: () => {
          const asset = ownAsset(world, user, id)
          const old = versionOf(asset, from_version)
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
          const { size_bytes, checksum_sha256, content } = old
          if (refusedForWantOf(room(world, user, { versions: 1 }), answer)) return undefined
          const version = newVersion(world, asset, {
            id: newIdIn(world, member(answer, 'id')),
            size_bytes,
            checksum_sha256,
            content,
            notes: notes || null,
          })
          agrees(answer, 201, versionRecord(version))
          return version.id
        },
      }),
  }
}

export const getAsset = commandOn('getAsset', false, anyAsset, readsAsset)

export function readsAsset(user: string, id: string): Act<Requests> {
  return {
    says: `${user} reads asset ${id}`,
    send: (service) => service.request(user, 'GET', `/game/assets/${id}`),
    judge: (world, answer) => {
      const asset = readable(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      agrees(answer, 200, { ...assetRecord(asset), versions: newestFirst(world, user, asset, 10) })
      expectEtag(asset, answer)
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

export function listsVersions(user: string, id: string, limit: number): Act<Requests> {
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
      agrees(answer, 200, { versions: newestFirst(world, user, asset), next_cursor: null })
    },
  }
}

export const deleteVersion: Command = {
  operation: 'deleteVersion',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && asset.versions.length > 1)
    return deletesVersion(user, id, draw.one(1, 2, 3, 4, 9), drawIfMatch(world, id, draw))
  },
}

export function deletesVersion(user: string, id: string, number: number, header?: string): Act<Requests> {
  const headers = ifMatch(header)
  return {
    says: `${user} deletes version ${number} of ${id} (${header})`,
    send: (service) => service.request(user, 'DELETE', `/game/assets/${id}/versions/${number}`, { headers }),
    judge: (world, answer) => {
      const asset = ownAsset(world, user, id)
      const version = versionOf(asset, number)
      if (!asset || !version) return refused(answer, asset ? 'VERSION_NOT_FOUND' : 'ASSET_NOT_FOUND')
      if (!isMatch(asset, header)) return refused(answer, 'PRECONDITION_FAILED')
      if (number === currentVersion(asset)) return refused(answer, 'VERSION_IS_CURRENT')
      asset.versions = asset.versions.filter((other) => other !== version)
      asset.updated_at = changedAt(world, asset)
      changedAsset(asset)
      agrees(answer, 204)
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
      return readsVersion(user, id, draw.one(1, 2, 7), isUrl)
    },
  }
}

export function readsVersion(user: string, id: string, number: number, isUrl: boolean): Act<Requests> {
  return {
    says: `${user} ${isUrl ? 'asks for a URL of' : 'reads'} version ${number} of ${id}`,
    send: (service) =>
      service.request(user, 'GET', `/game/assets/${id}/versions/${number}${isUrl ? '/url' : ''}`),
    judge: (world, answer) => {
      const asset = readable(world, user, id)
      const version = versionOf(asset, number)
      if (!asset || !version) return refused(answer, asset ? 'VERSION_NOT_FOUND' : 'ASSET_NOT_FOUND')
      if (isUrl) expectUrl(world, answer, version.content, now(world) + world.limits.DOWNLOAD_URL_TTL)
      else agrees(answer, 200, versionFor(world, user, asset, version))
    },
  }
}

export const getVersion = versionCommand('getVersion', false)

export const getVersionUrl = versionCommand('getVersionUrl', true)
