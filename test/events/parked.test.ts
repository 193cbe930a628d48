import { beforeEach, describe, expect, it } from 'vitest'
import { signUpCreator } from '../support/creator.ts'
import { everyDatabase } from '../support/databases.ts'
import { emptyOutboxes, now, outboxRows, park, seedEvents } from '../support/delivery.ts'
import { configWithEvents, eventsAbout, serviceWithEvents } from '../support/events.ts'
import { runEach } from '../support/objects.ts'
import { operator } from '../support/user.ts'

const DAY = 86_400
const { service } = serviceWithEvents()
const config = configWithEvents()

beforeEach(emptyOutboxes)

/** Parks all events of every database, as three days after they happened. */
async function parkAll(): Promise<void> {
  for (const database of everyDatabase)
    await database
      .prepare('UPDATE outbox SET parked_at = ?1, created_at = ?1 - 3 * 86400 WHERE parked_at IS NULL')
      .bind(now())
      .run()
}

const typesAbout = async (user_id: string) => (await eventsAbout(user_id)).map(({ type }) => type)

describe('a parked event', () => {
  it('is removed by the job 30 days after it was parked, and no earlier; one that waits never', async () => {
    const [old = '', young = '', waiting = ''] = await seedEvents(3, { created_at: now() - 40 * DAY })
    await park([old], now() - 30 * DAY - 60)
    await park([young], now() - 30 * DAY + 600)
    const [report] = await runEach(0, { config })
    expect(report).toMatchObject({ events_discarded: 1 })
    expect((await outboxRows()).map(({ id }) => id).sort()).toEqual([young, waiting].sort())
    await runEach(1, { config })
    expect((await outboxRows()).map(({ id }) => id)).toEqual([waiting])
  })

  it('goes with a user whom it names, as the owner or as the one with whom something was shared', async () => {
    const [ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
    await ada.share(await ada.file('map', 'abc'), bob)
    await bob.share(await bob.file('notes', 'abc'), ada)
    await bob.asset('castle')
    await ada.asset('tower')
    await parkAll()
    const ofBob = await typesAbout(bob.id)
    expect(ofBob.filter((type) => type === 'share.created')).toHaveLength(2)

    const admin = (await operator('users:erase')).through(service)
    expect((await admin.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
    for (const days of [0, 0.01, 0.01, 0.02]) await runEach(days, { config })
    const left = (await outboxRows()).filter(({ parked_at }) => parked_at !== null).map(({ id }) => id)
    const named = (await eventsAbout(ada.id)).filter(({ id }) => left.includes(id))
    expect(named).toEqual([])
    // What only tells of bob stays, and what the erasure itself tells is still to be delivered.
    const stay = ofBob.filter((type) => type !== 'share.created')
    expect((await typesAbout(bob.id)).filter((type) => type !== 'share.revoked')).toEqual(stay)
    expect(await typesAbout(ada.id)).toContain('user.erased')
  })

  it('goes with a user who acted on behalf of the one whom it is about', async () => {
    const [ada, bob] = [await operator('players:write', service), await signUpCreator('bob', service)]
    const headers = { 'On-Behalf-Of': bob.id, 'Audit-Reason': 'ticket' }
    const json = { name: 'tower', type: 'world' }
    expect((await ada.request('POST', '/game/assets', { json, headers })).status).toBe(201)
    await bob.asset('castle')
    await parkAll()
    expect(await typesAbout(ada.id)).toContain('asset.created')
    const admin = (await operator('users:erase')).through(service)
    expect((await admin.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
    for (const days of [0, 0.01, 0.01, 0.02]) await runEach(days, { config })
    expect(await typesAbout(ada.id)).toEqual(['user.erased'])
    expect(await typesAbout(bob.id)).toContain('asset.created')
  })

  it('of an erasure stays when the user is erased again', async () => {
    const ada = await signUpCreator('ada', service)
    const admin = (await operator('users:erase')).through(service)
    await admin.request('DELETE', `/users/${ada.id}`)
    for (const days of [0, 0.01, 0.01]) await runEach(days, { config })
    await parkAll()
    await admin.request('DELETE', `/users/${ada.id}`)
    for (const days of [0, 0.01, 0.01]) await runEach(days, { config })
    expect(await typesAbout(ada.id)).toEqual(['user.erased', 'user.erased'])
  })
})
