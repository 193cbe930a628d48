import { z } from '@hono/zod-openapi'
import { type Act, required } from './act.ts'
import type { Actor } from './actor.ts'

const Ran = z.object({ outcome: z.literal('ok') })

/** Acts of those who run the service. */

/** Runs the scheduled job, as `npm run job` does. */
export function runJob({ world, wire }: Actor): Act {
  const begun = Date.now()
  return {
    kind: 'run the job',
    request: {
      intent: 'run the job',
      about: [],
      method: 'GET',
      path: `${wire.power.origin}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('*/5 * * * *')}&format=json`,
    },
    settle(answer, attempt) {
      required(answer, 200, attempt)
      Ran.parse(answer.body)
      world.jobHasRun(begun)
    },
  }
}

/** Erases the actor's user; the actor goes on as another. */
export function erase(actor: Actor): Act {
  const { user } = actor.wire
  return {
    kind: 'erase',
    request: {
      intent: `erase ${user}`,
      about: [user],
      method: 'DELETE',
      path: `/users/${user}`,
      headers: { Authorization: `Bearer ${actor.operatorToken}` },
    },
    async settle(answer, attempt) {
      required(answer, 202, attempt)
      await actor.beginAnew()
    },
  }
}
