import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { overridden } from '../support/meter.ts'
import { gift, inbox, publish, publishBatch } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp } from '../support/user.ts'

const SCOPE = 'notifications:publish'
const regions = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']
const aKey = () => crypto.randomUUID()

/** A call of an inbox: whose it is, and where the platform is asked to make it. */
type Called = [user_id: string, options: unknown]

/** The service, and the calls of inboxes that it makes. */
function observed() {
  const calls: Called[] = []
  const INBOX = overridden(env.INBOX, {
    getByName: (user_id: string, options?: object) => {
      calls.push([user_id, options])
      return env.INBOX.getByName(user_id)
    },
  })
  return { calls, service: serviceWith({ INBOX }) }
}

describe('the region of a publication', () => {
  it('is the location hint of each call of the inbox, and part of no notification', async () => {
    const { calls, service } = observed()
    const [social, ada] = [(await operator(SCOPE)).through(service), await signUp('ada')]
    for (const region of regions) {
      const published = made(records.Notification, await publish(social, gift(ada, { region })), 201)
      expect(published).not.toHaveProperty('region')
    }
    await publish(social, gift(ada, { region: 'oc', persistent: false }))
    await publish(social, gift(ada))
    expect(calls).toEqual([
      ...[...regions, 'oc'].map((locationHint) => [ada.id, { locationHint }]),
      [ada.id, undefined],
    ])
    expect((await inbox(ada)).notifications.map(({ data }) => data)).toEqual(
      Array.from({ length: regions.length + 1 }, () => gift(ada).data),
    )
  })

  it('of a batch is that of each recipient', async () => {
    const { calls, service } = observed()
    const social = (await operator(SCOPE)).through(service)
    const { user_id: ada, ...message } = gift(await signUp('ada'))
    const { id: bob } = await signUp('bob')
    expect((await publishBatch(social, { user_ids: [ada, bob], ...message, region: 'afr' })).status).toBe(200)
    const hint = { locationHint: 'afr' }
    expect(calls.toSorted()).toEqual([[ada, hint] as const, [bob, hint] as const].toSorted())
  })

  it('is one of nine, else VALIDATION_FAILED', async () => {
    const [social, ada] = [await operator(SCOPE), await signUp('ada')]
    const { user_id: _, ...message } = gift(ada)
    for (const region of ['', 'eu', 'WEUR', 'apac-ne', 'automatic', null, 7, ['weur']]) {
      const said = JSON.stringify(region)
      expect(await publish(social, gift(ada, { region })), said).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/region',
      )
      const batch = await publishBatch(social, { user_ids: [ada.id], ...message, region })
      expect(batch, said).toBeProblem(400, 'VALIDATION_FAILED', '/region')
      expect(await env.SOCIAL.publish(gift(ada, { region })), said).toMatchObject({
        error: { code: 'VALIDATION_FAILED' },
      })
    }
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('may be another one when a publication is repeated with its Idempotency-Key', async () => {
    const [social, ada, key] = [await operator(SCOPE), await signUp('ada'), aKey()]
    const first = made(records.Notification, await publish(social, gift(ada, { region: 'sam' }), key), 201)
    expect((await publish(social, gift(ada, { region: 'me' }), key)).body).toEqual(first)
    expect((await publish(social, gift(ada), key)).body).toEqual(first)
    const { user_id, ...message } = gift(ada)
    const batch = await publishBatch(social, { user_ids: [user_id], ...message, region: 'oc' }, key)
    expect(batch.body).toEqual({ results: [{ user_id, notification_id: first.id }] })
    const other = await publish(social, gift(ada, { region: 'sam', data: { gift_id: 'other' } }), key)
    expect(other).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')

    const ofWorker = { idempotency_key: aKey() }
    const { notification } = await env.SOCIAL.publish(gift(ada, { region: 'sam' }), ofWorker)
    expect(await env.SOCIAL.publish(gift(ada, { region: 'me' }), ofWorker)).toEqual({ notification })
    expect(await env.SOCIAL.publishAll([gift(ada)], ofWorker)).toEqual([{ notification }])
    expect(await inbox(ada)).toMatchObject({ total: 2 })
  })
})
