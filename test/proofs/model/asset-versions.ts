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
  changedVersion,
  contentFor,
  copiesOf,
  currentVersion,
  newestFirst,
  newVersion,
  ownAsset,
  readableAs,
  versionFor,
  versionOf,
  versionRecord,
} from './asset-record.ts'
import { drawChannelKey, keyQuery } from './channels.ts'
import { anAsset, isKept } from './choose.ts'
import { expectSigned } from './content.ts'
import { platforms } from './declaring.ts'
import { drawIfMatch, expectEtag, ifMatch, isMatch } from './etags.ts'
import { allPages } from './pages.ts'
import { bornAt, changedAt, now } from './state.ts'

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
          const { size_bytes, checksum_sha256, content, min_build, max_build, platform } = old
          if (refusedForWantOf(room(world, user, { versions: 1 + old.variants.length }), answer))
            return undefined
          const version = newVersion(world, asset, {
            id: newIdIn(world, member(answer, 'id')),
            size_bytes,
            checksum_sha256,
            content,
            min_build,
            max_build,
            platform,
            variants: copiesOf(old, bornAt(world, user)),
            notes: notes || null,
          })
          agrees(answer, 201, versionRecord(version))
          return version.id
        },
      }),
  }
}

export const getAsset: Command = {
  operation: 'getAsset',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    return readsAsset(user, id, drawChannelKey(world, id, draw))
  },
}

export function readsAsset(user: string, id: string, key?: string): Act<Requests> {
  return {
    says: `${user} reads asset ${id} (${key})`,
    send: (service) => service.request(user, 'GET', `/game/assets/${id}${keyQuery(key)}`),
    judge: (world, answer) => {
      const asset = readableAs(world, user, id, key)
      if (typeof asset === 'string') return refused(answer, asset)
      agrees(answer, 200, { ...assetRecord(asset), versions: newestFirst(world, user, asset, 10) })
      if (key === undefined) expectEtag(asset, answer)
    },
  }
}

export const listVersions: Command = {
  operation: 'listVersions',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    return listsVersions(user, id, draw.one(100, 1, 2), drawChannelKey(world, id, draw))
  },
}

export function listsVersions(user: string, id: string, limit: number, key?: string): Act<Requests> {
  return {
    says: `${user} lists the versions of ${id} (${key})`,
    send: (service) =>
      allPages(
        { limit, channel_key: key },
        (query) => service.request(user, 'GET', `/game/assets/${id}/versions?${query}`),
        'versions',
      ),
    judge: (world, answer) => {
      const asset = readableAs(world, user, id, key)
      if (typeof asset === 'string') return refused(answer, asset)
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
      const isNamed = [...asset.channels.values()].some((channel) => channel.version === number)
      if (number === currentVersion(asset) || isNamed) return refused(answer, 'VERSION_IS_CURRENT')
      asset.versions = asset.versions.filter((other) => other !== version)
      changedVersion(asset, number, changedAt(world, asset))
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
      const query = {
        channel_key: drawChannelKey(world, id, draw),
        platform: draw.of([undefined, ...platforms]),
      }
      return readsVersion(user, id, draw.one(1, 2, 7), isUrl, query)
    },
  }
}

export function readsVersion(
  user: string,
  id: string,
  number: number,
  isUrl: boolean,
  { channel_key, platform }: { channel_key?: string | undefined; platform?: string | undefined } = {},
): Act<Requests> {
  const ofPlatform = isUrl && platform !== undefined ? `platform=${platform}` : ''
  const query = [keyQuery(channel_key).slice(1), ofPlatform].filter((part) => part !== '').join('&')
  return {
    says: `${user} ${isUrl ? 'asks for a URL of' : 'reads'} version ${number} of ${id} (${query})`,
    send: (service) =>
      service.request(user, 'GET', `/game/assets/${id}/versions/${number}${isUrl ? '/url' : ''}?${query}`),
    judge: (world, answer) => {
      const asset = readableAs(world, user, id, channel_key)
      if (typeof asset === 'string') return refused(answer, asset)
      const version = versionOf(asset, number)
      if (!version) return refused(answer, 'VERSION_NOT_FOUND')
      if (isUrl) {
        const served = contentFor(version, platform)
        if (!served) return refused(answer, 'VARIANT_NOT_FOUND')
        const expires_at = now(world) + world.limits.DOWNLOAD_URL_TTL
        const { content, ...told } = served
        agrees(answer, 200, { url: member(answer, 'url'), expires_at, ...told })
        expectSigned(world, String(member(answer, 'url')), content, expires_at)
      } else agrees(answer, 200, versionFor(world, user, asset, version))
    },
  }
}

export const getVersion = versionCommand('getVersion', false)

export const getVersionUrl = versionCommand('getVersionUrl', true)
