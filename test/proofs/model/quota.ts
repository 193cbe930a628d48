import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import { type Act, agrees, type Command, member, type Requests } from './act.ts'
import { aPlayer } from './choose.ts'
import { limitOf, releasingOf, used, usedParts } from './counting.ts'
import type { World } from './state.ts'

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

function expectQuota(world: World, user: string, answer: Answer): void {
  agrees(answer, 200, shownQuota(world, user, Number(member(answer, 'used_bytes'))))
}

/** A quota as it may be told: what is still to be released may count, or not. */
export function shownQuota(world: World, user: string, used_bytes: number) {
  const least = used(world, user).bytes
  expect(used_bytes).toBeGreaterThanOrEqual(least)
  expect(used_bytes).toBeLessThanOrEqual(least + releasingOf(world, user).bytes)
  const limit_bytes = limitOf(world, user)
  return {
    used_bytes,
    limit_bytes,
    available_bytes: Math.max(0, limit_bytes - used_bytes),
    usage_percent: limit_bytes === 0 ? 100 : (100 * used_bytes) / limit_bytes,
  }
}

export const getQuota: Command = {
  operation: 'getQuota',
  writes: false,
  draw: (world, draw) => readsQuota(aPlayer(world, draw)),
}

export function readsQuota(user: string): Act<Requests> {
  return {
    says: `${user} reads the quota`,
    send: (service) => service.request(user, 'GET', '/quota'),
    judge: (world, answer) => expectQuota(world, user, answer),
  }
}

const Breakdown = z.object({
  used_bytes: z.int(),
  parts: z.array(z.object({ kind: z.string(), bytes: z.int() })),
})

/** Nothing of the model has 1 MiB. What is still to be released may count in its part, or not. */
export const getQuotaBreakdown: Command = {
  operation: 'getQuotaBreakdown',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    return {
      says: `${user} reads what takes the storage`,
      send: (service) => service.request(user, 'GET', '/quota/breakdown'),
      judge: (world, answer) => {
        const { used_bytes, parts } = Breakdown.parse(answer.body)
        const { limit_bytes } = shownQuota(world, user, used_bytes)
        agrees(answer, 200, { used_bytes, limit_bytes, parts, largest: [] })
        expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(used_bytes)
        const least = usedParts(world, user)
        for (const { kind, bytes } of parts) expect(bytes, kind).toBeGreaterThanOrEqual(least.get(kind) ?? 0)
      },
    }
  },
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
