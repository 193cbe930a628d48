import { type Act, agrees, type Command, type Requests, refused } from './act.ts'
import { anyAsset } from './any-asset.ts'
import { changedVersion, ownAsset, versionOf, versionRecord } from './asset-record.ts'
import { drawChannelKey } from './channels.ts'
import { anAsset, isKept } from './choose.ts'
import { platforms, someBuilds } from './declaring.ts'
import { drawIfMatch, ifMatch, isMatch } from './etags.ts'
import { type Asset, type Builds, changedAt } from './state.ts'
import { servedTo } from './urls.ts'

export const editVersion: Command = {
  operation: 'editVersion',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && asset.versions.length > 0)
    const json = draw.chance(30)
      ? { notes: draw.one('New notes.', '') }
      : { min_build: null, ...someBuilds(draw) }
    return editsVersion(user, id, draw.one(1, 2, 3, 9), json, drawIfMatch(world, id, draw))
  },
}

export function editsVersion(
  user: string,
  id: string,
  number: number,
  json: Partial<Builds> & { notes?: string },
  header?: string,
): Act<Requests> {
  const headers = ifMatch(header)
  return {
    says: `${user} edits version ${number} of ${id} to ${JSON.stringify(json)} (${header})`,
    send: (service) =>
      service.request(user, 'PATCH', `/game/assets/${id}/versions/${number}`, { json, headers }),
    judge: (world, answer) => {
      const asset = ownAsset(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      const version = versionOf(asset, number)
      if (!isMatch(asset, header))
        return refused(answer, 'PRECONDITION_FAILED', ...(version ? [] : (['VERSION_NOT_FOUND'] as const)))
      if (!version) return refused(answer, 'VERSION_NOT_FOUND')
      const { notes = version.notes, ...builds } = json
      const changed = { ...version, ...builds }
      if ((changed.min_build ?? 0) > (changed.max_build ?? Infinity))
        return refused(answer, 'VALIDATION_FAILED')
      Object.assign(version, builds, { notes: notes || null })
      changedVersion(asset, number, changedAt(world, asset))
      agrees(answer, 200, versionRecord(version))
    },
  }
}

export const deleteVariant: Command = {
  operation: 'deleteVariant',
  writes: true,
  draw: (world, draw) => {
    const hasVariants = ({ versions }: Asset) => versions.some(({ variants }) => variants.length > 0)
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && hasVariants(asset))
    const [isAny, number, platform] = [draw.chance(30), draw.one(1, 2, 3), draw.of(platforms) ?? 'pc']
    const version = world.assets.get(id)?.versions.find(({ variants }) => variants.length > 0)
    const there = isAny ? undefined : version
    return deletesVariant(
      user,
      id,
      there?.version ?? number,
      there?.variants[0]?.platform ?? platform,
      drawIfMatch(world, id, draw),
    )
  },
}

export function deletesVariant(
  user: string,
  id: string,
  number: number,
  platform: string,
  header?: string,
): Act<Requests> {
  const headers = ifMatch(header)
  const path = `/game/assets/${id}/versions/${number}/variants/${platform}`
  return {
    says: `${user} deletes ${path} (${header})`,
    send: (service) => service.request(user, 'DELETE', path, { headers }),
    judge: (world, answer) => {
      const asset = ownAsset(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      const version = versionOf(asset, number)
      if (!version) return refused(answer, 'VERSION_NOT_FOUND')
      const variant = version.variants.find((one) => one.platform === platform)
      if (!variant) return refused(answer, 'VARIANT_NOT_FOUND')
      if (!isMatch(asset, header)) return refused(answer, 'PRECONDITION_FAILED')
      version.variants = version.variants.filter((one) => one !== variant)
      version.deleted_platforms.push(platform)
      changedVersion(asset, number, changedAt(world, asset))
      agrees(answer, 204)
    },
  }
}

export const getUpdates: Command = {
  operation: 'getUpdates',
  writes: false,
  draw: (world, draw) => {
    const build = draw.one(undefined, 1, 5, 8)
    const items = [anyAsset(world, draw), anyAsset(world, draw)].map(({ user, id }) => ({
      user,
      asset_id: id,
      version: draw.one(1, 2, 3),
      platform: draw.of([undefined, ...platforms]),
      channel_key: drawChannelKey(world, id, draw),
    }))
    const user = items[0]?.user ?? ''
    const json = { items: items.map(({ user: _, ...item }) => item), build }
    return {
      says: `${user} asks for updates: ${JSON.stringify(json)}`,
      send: (service) => service.request(user, 'POST', '/game/updates', { json }),
      judge: (world, answer) => {
        agrees(answer, 200, {
          updates: json.items.map(({ asset_id, version, platform, channel_key }) => {
            const wanted = {
              asset_id,
              ...(platform !== undefined && { platform }),
              ...(channel_key !== undefined && { channel_key }),
              ...(build !== undefined && { build }),
            }
            const served = servedTo(world, user, wanted)
            if (typeof served === 'string') return { asset_id, code: served }
            const { content, ...told } = served
            return told.version === version ? { asset_id, version: null } : { asset_id, ...told }
          }),
        })
      },
    }
  },
}
