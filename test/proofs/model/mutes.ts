import { z } from '@hono/zod-openapi'
import type { Answer } from '../../support/exchange.ts'
import { type Act, agrees, type Command, type Requests, refused, refusedForWantOf, room } from './act.ts'
import { aPlayer } from './choose.ts'
import { allPages } from './pages.ts'
import { now, type World } from './state.ts'

/** Users who may be muted beside the players: nobody has to exist. */
const STRANGERS = ['nobody', 'a / 100% ä']

/** A mute. `user_id` is the muted user. */
export interface Mute {
  user_id: string
  created_at: number
}

export function mutesOf({ mutes }: World, user: string): Mute[] {
  return mutes.get(user) ?? []
}

/** Whether the erasure of the muted user takes the mute away: at once or later, so a mute may be there or not. */
export function isFading({ erased_until }: World, { user_id, created_at }: Mute): boolean {
  return created_at <= (erased_until[user_id] ?? -1)
}

/** Whether a user has muted another; undefined while the mute may be there or not. */
export function hasMuted(world: World, user: string, other: string): boolean | undefined {
  const mute = mutesOf(world, user).find(({ user_id }) => user_id === other)
  if (!mute) return false
  return isFading(world, mute) ? undefined : true
}

export const muteUser: Command = {
  operation: 'muteUser',
  writes: true,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const other = draw.of([...world.players, ...STRANGERS]) ?? user
    // Whether it is there already nobody knows.
    return hasMuted(world, user, other) === undefined ? undefined : mutes(user, other)
  },
}

const path = (user_id: string) => `/mutes/${encodeURIComponent(user_id)}`

function mutes(user: string, other: string): Act<Requests> {
  return {
    says: `${user} mutes ${other}`,
    send: (service) => service.request(user, 'PUT', path(other)),
    judge: (world, answer) => {
      if (user === other) return refused(answer, 'VALIDATION_FAILED')
      if (hasMuted(world, user, other) === false) {
        if (refusedForWantOf(room(world, user, { mutes: 1 }), answer)) return
        const created_at = Math.max(now(world), (world.erased_until[user] ?? -1) + 1)
        world.mutes.set(user, [...mutesOf(world, user), { user_id: other, created_at }])
      }
      agrees(answer, 204)
    },
  }
}

export const unmuteUser: Command = {
  operation: 'unmuteUser',
  writes: true,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const muted = draw.of(mutesOf(world, user).map(({ user_id }) => user_id))
    return unmutes(user, muted ?? draw.of(world.players) ?? user)
  },
}

function unmutes(user: string, other: string): Act<Requests> {
  return {
    says: `${user} unmutes ${other}`,
    send: (service) => service.request(user, 'DELETE', path(other)),
    judge: (world, answer) => {
      const left = mutesOf(world, user).filter(({ user_id }) => user_id !== other)
      world.mutes.set(user, left)
      agrees(answer, 204)
    },
  }
}

export const listMutes: Command = {
  operation: 'listMutes',
  writes: false,
  draw: (world, draw) => listsMutes(aPlayer(world, draw), draw.one(100, 1, 2)),
}

const Page = z.object({ mutes: z.array(z.object({ user_id: z.string(), created_at: z.int() })) })

export function listsMutes(user: string, limit: number): Act<Requests> {
  return {
    says: `${user} lists whom they have muted`,
    send: (service) =>
      allPages({ limit }, (query) => service.request(user, 'GET', `/mutes?${query}`), 'mutes'),
    judge: (world, answer) => {
      const expected = mutesOf(world, user).filter((mute) => !isFading(world, mute))
      agrees(withoutFading(world, answer), 200, { mutes: expected.toReversed(), next_cursor: null })
    },
  }
}

/** The answer to a list without mutes that may be there or not. */
function withoutFading(world: World, answer: Answer): Answer {
  const page = Page.safeParse(answer.body).data
  if (!page) return answer
  const mutes = page.mutes.filter((mute) => !isFading(world, mute))
  return { ...answer, body: { ...Object(answer.body), mutes } }
}
