import { createExecutionContext, env } from 'cloudflare:test'
import { expect } from 'vitest'
import { NotificationPublisher } from '../../../src/features/notifications/publisher.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import { newUserId } from '../../support/ids.ts'
import { Faulty } from './bindings.ts'
import type { Trouble } from './trial.ts'
import { figures, inTime } from './trial.ts'

/** Another Worker's publication over a service binding: no request of the description, and answered by throwing. */
function publish(faulty: Faulty, user_id: string): Promise<unknown> {
  const ctx = Object.assign(createExecutionContext(), { props: { publisher: 'social' } })
  const data = { from_user_id: 7, from_display_name: 'Bob' }
  const options = { idempotency_key: 'key' }
  const input = { user_id, type: 'friend_request', data }
  return inTime(new NotificationPublisher(ctx, faulty.env).publish(input, options), faulty)
}

export async function rehearsePublication(): Promise<Faulty['calls']> {
  const faultless = new Faulty(new Map())
  await publish(faultless, newUserId())
  return faultless.calls
}

/** A publication with which something goes wrong, and then again: each is answered or UNAVAILABLE, and it comes once. */
export async function undergoPublication({ faults }: Trouble): Promise<void> {
  const user_id = newUserId()
  figures.trials++
  const attempts = [...faults.map((some) => new Faulty(some)), new Faulty(new Map())]
  for (const faulty of attempts) {
    const refusal = await publish(faulty, user_id).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refusal) expect(refusal instanceof ApiError && refusal.code, String(refusal)).toBe('UNAVAILABLE')
    if (faulty.isWell) expect(refusal, 'the last try').toBeUndefined()
    figures.faults += faulty.struck
    for (const when of ['at once', 'before the retry'] as const) await faulty.come(when)
  }
  for (const faulty of attempts) await faulty.come('after the retry')
  expect(await env.INBOX.getByName(user_id).counts()).toEqual({ seq: 1, total: 1, unread: 1 })
}
