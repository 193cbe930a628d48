import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { everywhere } from '../../support/databases.ts'
import { type Act, agrees, type Command, type Reading, type Requests, refused, unspoken } from './act.ts'
import { changedAsset } from './asset-record.ts'
import { caseAbout, isOwnAppeal, liftMeasure } from './cases.ts'
import { anAsset, anItem, aPlayer } from './choose.ts'
import { erasedUntil, erasesUser } from './erasing.ts'
import { allPages } from './pages.ts'
import { type CaseTarget, now, type World } from './state.ts'
import { changed, standing } from './tree.ts'

type Kind = 'files' | 'game/assets'

function blocking(operation: string, kind: Kind, blocked: boolean): Command {
  return {
    operation,
    writes: true,
    draw: (world, draw) => {
      const { id } = kind === 'files' ? anItem(world, draw) : anAsset(world, draw, () => true)
      return blocks(world.operator, kind, id, blocked)
    },
  }
}

/** Blocks a file or an asset, or lifts the block. */
export function blocks(operator: string, kind: Kind, id: string, blocked: boolean): Act<Requests> {
  return {
    says: `${operator} ${blocked ? 'blocks' : 'no longer blocks'} ${id}`,
    send: (service) => service.request(operator, blocked ? 'PUT' : 'DELETE', `/${kind}/${id}/block`),
    judge: (world, answer) => {
      if (kind === 'files') {
        const item = world.items.get(id)
        if (!item || standing(world, id) === 'gone') return refused(answer, 'FILE_NOT_FOUND')
        if (!blocked && item.measure === 'block') {
          if (isOwn(world, operator, { type: 'file', id })) return refused(answer, 'FORBIDDEN')
          lifted(world, { type: 'file', id })
        } else {
          if (item.blocked !== blocked) changed(item)
          item.blocked = blocked
        }
      } else {
        const asset = world.assets.get(id)
        if (!asset) return refused(answer, 'ASSET_NOT_FOUND')
        const { measure } = asset
        if (!blocked && measure?.action === 'block' && measure.isOwn) {
          if (isOwn(world, operator, { type: 'asset', id })) return refused(answer, 'FORBIDDEN')
          lifted(world, { type: 'asset', id })
        } else {
          if (asset.blocked !== blocked) changedAsset(asset)
          asset.blocked = blocked
          if (!blocked && measure?.action === 'block') asset.measure = { ...measure, action: 'none' }
        }
      }
      agrees(answer, 204)
    },
  }
}

function lifted(world: World, target: CaseTarget): void {
  const one = caseAbout(world, target)
  if (one) liftMeasure(world, one, null)
}

export const listBlocked: Command = {
  operation: 'listBlocked',
  writes: false,
  draw: (world, draw) => {
    const kind = draw.one('files' as const, 'assets' as const)
    const owner_id = draw.one(undefined, aPlayer(world, draw))
    return {
      says: `${world.operator} lists the blocked ${kind} of ${owner_id ?? 'everybody'}`,
      // Of all worlds that there have been, so in pages as large as may be.
      send: (service) =>
        allPages(
          { kind, limit: 100, owner_id },
          (query) => service.request(world.operator, 'GET', `/blocked?${query}`),
          'blocked',
        ),
      judge: (world, answer) => {
        const things =
          kind === 'assets'
            ? [...world.assets.values()]
            : [...world.items.values()].filter(({ id }) => standing(world, id) !== 'gone')
        const ofOwner = things.filter((thing) => (owner_id ?? thing.owner_id) === thing.owner_id)
        const expected = ofOwner.flatMap(({ id, owner_id, name, blocked }) =>
          blocked ? [{ kind, id, owner_id, name }] : [],
        )
        const told = z.object({ blocked: z.array(BlockedContent) }).parse(answer.body).blocked
        const ofPlayers =
          owner_id === undefined ? told.filter((thing) => world.players.includes(thing.owner_id)) : told
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

const Entry = z.object({ request_id: z.string(), scope: z.string(), status: z.int().nullable(), at: z.int() })

/** The days for which entries are kept, by default. */
const KEPT_DAYS = 400

/** Each act under a scope has one entry, with the status of its answer; reading on behalf of a player has one an hour. */
export const listAuditEntries: Command = {
  operation: 'listAuditEntries',
  writes: false,
  draw: (world) => {
    let expected: [request_id: string, status: number][] = []
    let oldest = 0
    let readings: Reading[] = []
    return {
      says: `${world.operator} lists what was done`,
      send: (service) => {
        oldest = now(world) - KEPT_DAYS * 86_400
        expected = [...service.acted].flatMap(([id, { actor, status, at }]) =>
          actor === world.operator && at > oldest ? [[id, status]] : [],
        )
        readings = [...service.reading.values()].filter(({ at }) => at > oldest)
        return allPages(
          { actor: world.operator, limit: 100 },
          (query) => service.request(world.operator, 'GET', `/audit?${query}`),
          'entries',
        )
      },
      judge: (_, answer) => {
        const { entries } = z.object({ entries: z.array(Entry) }).parse(answer.body)
        const told = Map.groupBy(entries, ({ request_id }) => request_id)
        const found = expected.map(([id]) => [id, ...(told.get(id) ?? []).map(({ status }) => status)])
        expect(found).toEqual(expected)
        const read = entries.filter(({ scope, at }) => scope === 'players:read' && at > oldest)
        // An erasure puts another id into the entry of the hour, at once or later: then there may be another one.
        expect(read.length).toBeGreaterThanOrEqual(new Set(readings.map(({ hour }) => hour)).size)
        expect(read.length).toBeLessThanOrEqual(readings.length)
      },
    }
  },
}

const BlockedContent = z.object({
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
    ...erasesUser(operator, user),
    // It marks the user, and then those who share with the user: one of these may move.
    tookEffect: async (world) => {
      const marks = await everywhere<{ until: number }>('SELECT until FROM erasures WHERE user_id = ?', user)
      const isMarked = marks.some(({ until }) => until >= erasedUntil(world, user))
      return isMarked ? { ...unspoken, status: 202 } : undefined
    },
  }
}

/** Whether an appeal is open against the operator's own decision about a thing. */
function isOwn(world: World, operator: string, target: CaseTarget): boolean {
  const one = caseAbout(world, target)
  return one !== undefined && isOwnAppeal(one, operator)
}
