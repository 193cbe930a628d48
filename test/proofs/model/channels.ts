import { expect } from 'vitest'
import { type Act, agrees, type Command, type Draw, lost, member, type Requests, refused } from './act.ts'
import {
  changedAsset,
  changedUnseen,
  currentVersion,
  ownAsset,
  servedVersion,
  versionOf,
} from './asset-record.ts'
import { anAsset, isKept } from './choose.ts'
import { drawIfMatch, ifMatch, isMatch } from './etags.ts'
import { type Asset, type Channel, changedAt, type World } from './state.ts'

const names = ['live', 'live', 'beta'] as const

/** Asked for with a key that no channel has. */
const NO_KEY = 'A'.repeat(32)

/** Sometimes the key of a channel of the asset, or one that it never had. */
export function drawChannelKey(world: World, id: string, draw: Draw): string | undefined {
  const [isGiven, isWrong] = [draw.chance(25), draw.chance(25)]
  const keys = [...(world.assets.get(id)?.channels.values() ?? [])].flatMap(({ key }) => key ?? [])
  if (!isGiven) return undefined
  return isWrong ? NO_KEY : (keys[0] ?? NO_KEY)
}

/** The query that brings a key. */
export function keyQuery(key: string | undefined): string {
  return key === undefined ? '' : `?channel_key=${key}`
}

function channelRecord(channel: string, { version, key, updated_at }: Channel) {
  return { channel, version, key, updated_at }
}

export const setChannel: Command = {
  operation: 'setChannel',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && asset.versions.length > 0)
    return setsChannel(user, id, draw.of(names) ?? 'live', draw.one(1, 2, 3, 9), drawIfMatch(world, id, draw))
  },
}

export function setsChannel(
  user: string,
  id: string,
  channel: string,
  version: number,
  header?: string,
): Act<Requests> {
  const [json, headers] = [{ version }, ifMatch(header)]
  return {
    says: `${user} sets ${channel} of ${id} to ${version} (${header})`,
    send: (service) =>
      service.request(user, 'PUT', `/game/assets/${id}/channels/${channel}`, { json, headers }),
    judge: (world, answer) => {
      const asset = ownAsset(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      const isThere = versionOf(asset, version) !== undefined
      if (!isMatch(asset, header))
        return refused(answer, 'PRECONDITION_FAILED', ...(isThere ? [] : (['VERSION_NOT_FOUND'] as const)))
      if (!isThere) return refused(answer, 'VERSION_NOT_FOUND')
      const key = asset.channels.get(channel)?.key ?? newKey(channel, member(answer, 'key'), answer === lost)
      const updated_at = changedAt(world, asset)
      serves(asset, channel, updated_at, () => asset.channels.set(channel, { version, key, updated_at }))
      agrees(answer, 200, channelRecord(channel, { version, key, updated_at }))
    },
  }
}

/** The key of a channel that is new; `live` has none. */
function newKey(channel: string, key: unknown, isLost: boolean): string | null {
  if (channel === 'live') return null
  if (!isLost) expect(key).toMatch(/^[\w-]{32}$/)
  return String(key)
}

/** Changes a channel. Others see that of `live`; it raises the time only with a version that they never got. */
function serves(asset: Asset, channel: string, at: number, change: () => void): void {
  if (channel !== 'live') {
    change()
    changedUnseen(asset, at)
    return
  }
  const released = Math.max(asset.released, asset.channels.has('live') ? 0 : currentVersion(asset))
  change()
  if (servedVersion(asset) > released) asset.updated_at = at
  asset.unseen_at = Math.max(asset.unseen_at ?? 0, at)
  asset.released = Math.max(released, servedVersion(asset))
  changedAsset(asset)
}

export const deleteChannel: Command = {
  operation: 'deleteChannel',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && asset.channels.size > 0)
    return deletesChannel(user, id, draw.of(names) ?? 'live', drawIfMatch(world, id, draw))
  },
}

export function deletesChannel(user: string, id: string, channel: string, header?: string): Act<Requests> {
  const headers = ifMatch(header)
  return {
    says: `${user} deletes ${channel} of ${id} (${header})`,
    send: (service) => service.request(user, 'DELETE', `/game/assets/${id}/channels/${channel}`, { headers }),
    judge: (world, answer) => {
      const asset = ownAsset(world, user, id)
      if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
      const isThere = asset.channels.has(channel)
      if (!isMatch(asset, header))
        return refused(answer, 'PRECONDITION_FAILED', ...(isThere ? [] : (['CHANNEL_NOT_FOUND'] as const)))
      if (!isThere) return refused(answer, 'CHANNEL_NOT_FOUND')
      serves(asset, channel, changedAt(world, asset), () => asset.channels.delete(channel))
      agrees(answer, 204)
    },
  }
}

export const listChannels: Command = {
  operation: 'listChannels',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anAsset(world, draw, (asset) => isKept(asset) && asset.channels.size > 0)
    return {
      says: `${user} lists the channels of ${id}`,
      send: (service) => service.request(user, 'GET', `/game/assets/${id}/channels`),
      judge: (world, answer) => {
        const asset = ownAsset(world, user, id)
        if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
        const channels = [...asset.channels].sort(([one], [other]) => (one < other ? -1 : 1))
        agrees(answer, 200, { channels: channels.map(([name, channel]) => channelRecord(name, channel)) })
      },
    }
  },
}
