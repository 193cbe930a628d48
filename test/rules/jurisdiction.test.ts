import { createExecutionContext, env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { NotificationPublisher } from '../../src/features/notifications/publisher.ts'
import { runScheduled, wakeJanitors } from '../../src/janitor/janitor.ts'
import { databasesOf, shardsIn } from '../../src/platform/shards/map.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { origin, serviceWith, upgrade } from '../support/service.ts'
import { signUp } from '../support/user.ts'

/**
 * A namespace whose objects can be reached in a jurisdiction only. The local runtime has no jurisdictions, so the objects
 * that it hands out are its own.
 */
function restricted<Namespace extends object>(namespace: Namespace, asked: string[]): Namespace {
  const outside = () => {
    throw new Error('an object outside of the jurisdiction')
  }
  return overridden(namespace, {
    jurisdiction: (name: string) => {
      asked.push(name)
      return namespace
    },
    getByName: outside,
    get: outside,
    idFromName: outside,
    newUniqueId: outside,
  })
}

function inside(JURISDICTION: 'eu' | 'us') {
  const asked: string[] = []
  const bindings = {
    INBOX: restricted(env.INBOX, asked),
    SAVES: restricted(env.SAVES, asked),
    JANITOR: restricted(env.JANITOR, asked),
    JURISDICTION,
  }
  return { asked, bindings }
}

describe('with JURISDICTION', () => {
  it('requests reach inboxes in the jurisdiction only', async () => {
    const { asked, bindings } = inside('eu')
    const reach = serviceWith(bindings)
    const ada = await signUp('ada', reach)
    expect((await ada.get('/notifications')).status).toBe(200)
    expect((await ada.get('/notifications/unread-count')).status).toBe(200)
    expect((await upgrade({ Authorization: `Bearer ${ada.token}` }, '', reach)).status).toBe(101)
    expect((await reach(new Request(`${origin}/readyz`))).status).toBe(200)
    expect(asked).toEqual(['eu', 'eu', 'eu', 'eu'])
  })

  it('requests reach saves in the jurisdiction only', async () => {
    const { asked, bindings } = inside('us')
    const ada = await signUp('ada', serviceWith(bindings))
    expect((await ada.get('/saves')).status).toBe(200)
    expect((await ada.request('PUT', '/saves/auto', { body: 'x' })).status).toBe(201)
    expect(asked).toEqual(['us', 'us'])
  })

  it('a Worker that is bound to the publisher reaches inboxes in the jurisdiction only', async () => {
    const { asked, bindings } = inside('eu')
    const ctx = Object.assign(createExecutionContext(), { props: {} })
    const publisher = new NotificationPublisher(ctx, { ...env, ...bindings })
    const data = { from_user_id: 7, from_display_name: 'Bob' }
    await publisher.publish({ user_id: newUserId(), type: 'friend_request', data })
    expect(asked).toEqual(['eu'])
  })

  it('the schedule wakes janitors in the jurisdiction only, and the job uses inboxes and saves there', async () => {
    const { asked, bindings } = inside('eu')
    await wakeJanitors({ ...env, ...bindings })
    expect(asked).toEqual(shardsIn(databasesOf(env)).map(() => 'eu'))

    const { asked: byTheJob, bindings: ofTheJob } = inside('eu')
    await runScheduled({ ...env, ...ofTheJob }, 'DB')
    expect(byTheJob).toEqual(['eu', 'eu'])
  })

  it('wakes no janitor without a valid configuration, which may lack the jurisdiction', async () => {
    const { asked, bindings } = inside('eu')
    const wrong = { ...bindings, JURISDICTION: 'mars' }
    await expect(wakeJanitors({ ...env, ...wrong })).rejects.toThrow(
      'JURISDICTION must be "eu", "fedramp" or "us"',
    )
    expect(asked).toEqual([])
  })
})
