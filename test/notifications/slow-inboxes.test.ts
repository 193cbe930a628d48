import { env, runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { inboxOf } from '../support/device.ts'
import { meteredInboxes } from '../support/meter.ts'
import { gift, inbox, publish, publishBatch } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

const SCOPE = 'notifications:publish'
const TIMEOUT_MS = 1_000

/** Holds the inboxes of these users: none answers a call before the function that it returns is called. */
async function hold(users: readonly User[]): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>()
  const held = users.map((user) => {
    const begun = Promise.withResolvers<void>()
    const ended = runInDurableObject(inboxOf(user), (_, ctx) =>
      ctx.blockConcurrencyWhile(() => {
        begun.resolve()
        return gate.promise
      }),
    )
    return { begun: begun.promise, ended }
  })
  await Promise.all(held.map(({ begun }) => begun))
  return async () => {
    gate.resolve()
    await Promise.all(held.map(({ ended }) => ended))
  }
}

it('a batch to 100 users whose inboxes do not answer holds up no other publisher, and ends with an outcome for each', async () => {
  const users = await Promise.all(Array.from({ length: 100 }, () => signUp()))
  const [ada, other, key] = [await signUp('ada'), await operator(SCOPE), crypto.randomUUID()]
  const publisher = await operator(SCOPE)
  let calls = 0
  const INBOX = meteredInboxes(env.INBOX, () => calls++)
  const impatient = publisher.through(serviceWith({ CALL_TIMEOUT_MS: String(TIMEOUT_MS), INBOX }))
  const user_ids = users.map(({ id }) => id)
  const body = { user_ids, type: 'shop.gift', data: { gift_id: 'golden-sword' } }
  const release = await hold(users)
  let hasEnded = false
  const batch = publishBatch(impatient, body, key).finally(() => {
    hasEnded = true
  })
  for (let i = 0; i < 10; i++) expect((await publish(other, gift(ada))).status).toBe(201)
  expect(hasEnded, 'the others are answered while it waits').toBe(false)
  expect(await inbox(ada)).toMatchObject({ total: 10 })
  const { results } = made(records.BatchResults, await batch, 200)
  expect(results).toEqual(user_ids.map((user_id) => ({ user_id, code: 'UNAVAILABLE' })))
  expect(calls, 'of six at a time, the third begin no later than after two timeouts').toBeLessThanOrEqual(18)
  await release()
  const again = made(records.BatchResults, await publishBatch(publisher, body, key), 200).results
  const lists = await Promise.all(users.map(inbox))
  expect(lists.map(({ notifications }) => notifications.map(({ id }) => id))).toEqual(
    again.map(({ notification_id }) => [notification_id]),
  )
})
