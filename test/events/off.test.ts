import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { databasesOver } from '../support/context.ts'
import { signUpCreator } from '../support/creator.ts'
import { countOf, overEvery } from '../support/databases.ts'
import { webhook } from '../support/events.ts'
import { meter, overridden } from '../support/meter.ts'
import { runEach } from '../support/objects.ts'
import { withSessions } from '../support/outgoing.ts'
import { serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

/** The databases, and every statement that is prepared for them. */
function heard() {
  const statements: string[] = []
  const databases = overEvery((database) =>
    withSessions(database, (session) => ({
      prepare: (text: string) => {
        statements.push(text)
        return session.prepare(text)
      },
    })),
  )
  return { statements, databases }
}

const queue = overridden(env.EVENTS, {
  send: () => expect.unreachable('a message was sent'),
  sendBatch: () => expect.unreachable('messages were sent'),
})

/** One of everything that writes events when they are on. */
async function actEverything(service: ReturnType<typeof serviceWith>): Promise<void> {
  const [ada, bob] = [await signUpCreator('ada', service), await signUpCreator('bob', service)]
  const file = await ada.file('notes', 'abc')
  await bob.revoke(await ada.share(file, bob))
  await ada.share(file, bob)
  await bob.request('DELETE', `/shares?owner_id=${ada.id}`)
  await ada.abort(await ada.upload({ size_bytes: 3 }))
  const asset = await ada.asset('castle', { visibility: 'public' })
  await bob.branched(asset)
  await ada.rollBack(asset, { from_version: 1 })
  const moderator = (await operator('content:moderate')).through(service)
  for (const method of ['PUT', 'DELETE']) await moderator.request(method, `/game/assets/${asset.id}/block`)
  await moderator.request('PUT', `/files/${file.id}/block`)
  await ada.deleteAsset(asset)
  await ada.restoreAsset(asset)
  await ada.editAsset(asset, { visibility: 'private' })
  await ada.editAsset(asset, { visibility: 'public' })
  await ada.deleteAsset(asset, '?permanent=true')
  await ada.delete(file)
  await ada.purge(file)
  const admin = (await operator('quota:write users:erase')).through(service)
  await admin.request('PUT', `/users/${bob.id}/quota`, { json: { limit_bytes: 1 } })
  await admin.request('DELETE', `/users/${bob.id}`)
}

describe('without WEBHOOK_URL', () => {
  it('no statement names the outbox, nothing is sent, and no row is written', async () => {
    const { statements, databases } = heard()
    const before = await countOf('outbox')
    await actEverything(serviceWith({ ...databases, EVENTS: queue }))
    const all = databasesOver(databases)
    await runEach(1, { databases: all })
    expect(statements.length).toBeGreaterThan(100)
    expect(statements.filter((text) => text.includes('outbox'))).toEqual([])
    expect(await countOf('outbox')).toBe(before)
  })

  it('a request costs as many trips with events, and four rows an event more', async () => {
    const [off, on] = [meter(), meter({ ...webhook, WEBHOOK_EVENTS: 'asset.created' })]
    const cost = async ({ service, of }: ReturnType<typeof meter>) => {
      const ada = await signUpCreator('ada', service)
      await ada.emptyAsset('first')
      return of(() => ada.emptyAsset('second'))
    }
    const [without, withEvents] = [await cost(off), await cost(on)]
    expect(withEvents.trips).toBe(without.trips)
    expect(withEvents.rows_written - without.rows_written).toBe(4)
    expect(withEvents.rows_read - without.rows_read).toBeLessThanOrEqual(14)
  })
})

describe('WEBHOOK_EVENTS', () => {
  it('says which types are written', async () => {
    const ada = await signUpCreator(
      'ada',
      serviceWith({ ...webhook, WEBHOOK_EVENTS: 'asset.version_added, user.erased' }),
    )
    await ada.asset('castle', { visibility: 'public' })
    expect(await countOf(`outbox WHERE data ->> 'owner_id' = ?`, ada.id)).toBe(1)
  })
})
