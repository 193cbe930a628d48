import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import type { Answer } from '../../support/answer.ts'
import { everywhere } from '../../support/databases.ts'
import { type Act, agrees, type Command, member, refused, unspoken } from './act.ts'
import { removeAsset } from './asset-record.ts'
import { anAsset, anItem, aPlayer } from './choose.ts'
import { forgetShare, forgetUpload, limitOf, releasingOf, used } from './counting.ts'
import { allPages } from './pages.ts'
import { changed, remove, standing } from './tree.ts'
import { inboxOf, now, type World } from './world.ts'

export const setQuota: Command = {
  operation: 'setQuotaOfUser',
  writes: true,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const limit_bytes = draw.one(null, 100, 0, 1_000)
    return setsQuota(world.operator, user, limit_bytes)
  },
}

export function setsQuota(operator: string, user: string, limit_bytes: number | null): Act {
  return {
    says: `${operator} gives ${user} ${limit_bytes} bytes`,
    send: (service) =>
      service.request(operator, 'PUT', `/users/${encodeURIComponent(user)}/quota`, {
        json: { limit_bytes },
      }),
    judge: (world, answer) => {
      if (limit_bytes === null) delete world.limit_bytes[user]
      else world.limit_bytes[user] = limit_bytes
      expectQuota(world, user, answer)
    },
  }
}

/** A quota as it may be told: what is still to be released may count, or not. */
function expectQuota(world: World, user: string, answer: Answer): void {
  const used_bytes = Number(member(answer, 'used_bytes'))
  const least = used(world, user).bytes
  expect(used_bytes).toBeGreaterThanOrEqual(least)
  expect(used_bytes).toBeLessThanOrEqual(least + releasingOf(world, user).bytes)
  const limit_bytes = limitOf(world, user)
  agrees(answer, 200, {
    used_bytes,
    limit_bytes,
    available_bytes: Math.max(0, limit_bytes - used_bytes),
    usage_percent: limit_bytes === 0 ? 100 : (100 * used_bytes) / limit_bytes,
  })
}

export const getQuota: Command = {
  operation: 'getQuota',
  writes: false,
  draw: (world, draw) => readsQuota(aPlayer(world, draw)),
}

export function readsQuota(user: string): Act {
  return {
    says: `${user} reads the quota`,
    send: (service) => service.request(user, 'GET', '/quota'),
    judge: (world, answer) => expectQuota(world, user, answer),
  }
}

export const getQuotaOfUser: Command = {
  operation: 'getQuotaOfUser',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    return {
      says: `${world.operator} reads the quota of ${user}`,
      send: (service) => service.request(world.operator, 'GET', `/users/${encodeURIComponent(user)}/quota`),
      judge: (world, answer) => expectQuota(world, user, answer),
    }
  },
}

/** Blocks a file or an asset, or lifts the block. */
function blocking(operation: string, kind: 'files' | 'game/assets', blocked: boolean): Command {
  return {
    operation,
    writes: true,
    draw: (world, draw) => {
      const { id } = kind === 'files' ? anItem(world, draw) : anAsset(world, draw, () => true)
      return {
        says: `${world.operator}: ${operation} ${id}`,
        send: (service) =>
          service.request(world.operator, blocked ? 'PUT' : 'DELETE', `/${kind}/${id}/block`),
        judge: (world, answer) => {
          if (kind === 'files') {
            const item = world.items.get(id)
            if (!item || standing(world, id) === 'gone') return refused(answer, 'FILE_NOT_FOUND')
            if (item.blocked !== blocked) changed(item)
            item.blocked = blocked
          } else {
            const asset = world.assets.get(id)
            if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
            asset.blocked = blocked
          }
          agrees(answer, 204)
        },
      }
    },
  }
}

export const listBlocked: Command = {
  operation: 'listBlocked',
  writes: false,
  draw: (world, draw) => {
    const kind = draw.one('files' as const, 'assets' as const)
    return {
      says: `${world.operator} lists the blocked ${kind}`,
      // Of all worlds that there have been, so in pages as large as may be.
      send: (service) =>
        allPages(
          { kind, limit: 100 },
          (query) => service.request(world.operator, 'GET', `/blocked?${query}`),
          'blocked',
        ),
      judge: (world, answer) => {
        const things =
          kind === 'assets'
            ? [...world.assets.values()]
            : [...world.items.values()].filter(({ id }) => standing(world, id) !== 'gone')
        const expected = things.flatMap(({ id, owner_id, name, blocked }) =>
          blocked ? [{ kind, id, owner_id, name }] : [],
        )
        const told = z.object({ blocked: z.array(BlockedThing) }).parse(answer.body).blocked
        const ofPlayers = told.filter(({ owner_id }) => world.players.includes(owner_id))
        expect(
          ofPlayers.map(({ kind, id, owner_id, name }) => ({ kind, id, owner_id, name })).sort(byId),
        ).toEqual(expected.sort(byId))
        expect(told.map(({ blocked_at }) => blocked_at)).toEqual(
          told.map(({ blocked_at }) => blocked_at).sort((one, other) => other - one),
        )
      },
    }
  },
}

const BlockedThing = z.object({
  kind: z.string(),
  id: z.string(),
  owner_id: z.string(),
  name: z.string(),
  blocked_at: z.int(),
})

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1
}

export const blockFile = blocking('blockFile', 'files', true)

export const unblockFile = blocking('unblockFile', 'files', false)

export const blockAsset = blocking('blockAsset', 'game/assets', true)

export const unblockAsset = blocking('unblockAsset', 'game/assets', false)

export const eraseUser: Command = {
  operation: 'eraseUser',
  writes: true,
  draw: (world, draw) => erases(world.operator, aPlayer(world, draw)),
}

export function erases(operator: string, user: string): Act {
  return {
    says: `${operator} erases ${user}`,
    send: (service) => service.request(operator, 'DELETE', `/users/${encodeURIComponent(user)}`),
    judge: (world, answer) => {
      agrees(answer, 202)
      erase(world, user)
    },
    // It marks the user, and then those who share with the user: one of these may move.
    tookEffect: async (world) => {
      const marks = await everywhere<{ until: number }>('SELECT until FROM erasures WHERE user_id = ?', user)
      const isMarked = marks.some(({ until }) => until >= erasedUntil(world, user))
      return isMarked ? { ...unspoken, status: 202 } : undefined
    },
  }
}

/** As far as two clocks may be apart, in seconds: what is made later has a time beyond that. */
const SKEW = 60

/** Until when an erasure erases that begins now. */
function erasedUntil(world: World, user: string): number {
  return Math.max((world.erased_until[user] ?? -1) + 1, now(world) + SKEW)
}

function erase(world: World, user: string): void {
  world.erased_until[user] = erasedUntil(world, user)
  delete world.limit_bytes[user]
  for (const item of [...world.items.values()])
    if (item.owner_id === user && world.items.has(item.id)) remove(world, item)
  for (const asset of [...world.assets.values()]) if (asset.owner_id === user) removeAsset(world, asset)
  for (const upload of [...world.uploads.values()]) if (upload.owner_id === user) forgetUpload(world, upload)
  for (const share of [...world.shares.values()]) if (share.grantee_id === user) forgetShare(world, share)
  for (const name of world.keys.keys())
    if (name.startsWith(`${user} `) || name.includes(` for ${user} `)) world.keys.delete(name)
  const inbox = inboxOf(world, user)
  if (inbox.notices.length + inbox.events.length > 0) {
    const seq = inbox.seq + 1
    Object.assign(inbox, { seq, notices: [], events: [], base: { seq, unread: 0 } })
  }
}
