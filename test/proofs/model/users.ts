import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { UserOverview } from '../../../src/operators/users/schema.ts'
import { type Act, agrees, type Command } from './act.ts'
import { aPlayer } from './choose.ts'
import { releasingOf, sum, used } from './counting.ts'
import { shownQuota } from './quota.ts'
import { inboxOf, unreadIn } from './state.ts'

export const getUser: Command = {
  operation: 'getUser',
  writes: false,
  draw: (world, draw) => readsUser(world.operator, aPlayer(world, draw)),
}

/** The members of an overview, each with the count that it tells. */
const counted = {
  item_count: 'items',
  asset_count: 'assets',
  public_asset_count: 'shown',
  version_count: 'versions',
  favorite_count: 'favorites',
  open_upload_count: 'uploads',
} as const

const Told = z.object({ body: UserOverview })

function readsUser(operator: string, user: string): Act {
  return {
    says: `${operator} reads how much ${user} has`,
    send: (service) => service.request(operator, 'GET', `/users/${encodeURIComponent(user)}`),
    judge: (world, answer) => {
      const least = used(world, user)
      const most = sum(least, releasingOf(world, user))
      const { body } = Told.parse(answer)
      const told = Object.entries(counted).map(([member, name]): [string, unknown] => [
        member,
        expect.toSatisfy((count) => least[name] <= count && count <= most[name]),
      ])
      const inbox = inboxOf(world, user)
      agrees(answer, 200, {
        user_id: user,
        // The job ends an erasure at a time of its own.
        is_being_erased: world.erased_until[user] === undefined ? false : body.is_being_erased,
        quota: shownQuota(world, user, body.quota.used_bytes),
        ...Object.fromEntries(told),
        notifications: { total: inbox.notices.length, unread: unreadIn(inbox) },
      })
    },
  }
}
