import { createExecutionContext, env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { NotificationPublisher } from '../../src/features/notifications/publisher.ts'
import { wakeJanitors } from '../../src/janitor/janitor.ts'
import { wakeJanitorAt } from '../../src/platform/config/namespaces.ts'
import { databasesOf, shardsIn } from '../../src/platform/shards/map.ts'
import { configurationOf, contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { gift } from '../support/notifications.ts'

/** A namespace, in a jurisdiction too, and the options with which its objects are asked for. */
function observed<Namespace extends { getByName: (name: string) => unknown }>(namespace: Namespace) {
  const asked: unknown[] = []
  const seen: Namespace = overridden(namespace, {
    jurisdiction: () => seen,
    getByName: (name: string, options?: object) => {
      asked.push(options)
      return namespace.getByName(name)
    },
  })
  return { asked, namespace: seen }
}

/** Variables of a deployment, which `Env` does not name. */
const inOceania = { LOCATION: 'oc' }
const everyJob = shardsIn(databasesOf(env))

describe('LOCATION', () => {
  it('is where the objects of the job are made, whoever calls them first', async () => {
    const { asked, namespace: JANITOR } = observed(env.JANITOR)
    await wakeJanitors({ ...env, ...inOceania, JANITOR })
    await wakeJanitorAt({ JANITOR }, { ...contextOf('ada').config, LOCATION: 'oc' }, 'DB', 4_000_000_000)
    expect(asked).toEqual([...everyJob, 'DB'].map(() => ({ locationHint: 'oc' })))
  })

  it('asks for no place when it is not set, and none beside a jurisdiction', async () => {
    const { asked, namespace: JANITOR } = observed(env.JANITOR)
    await wakeJanitors({ ...env, JANITOR })
    await wakeJanitors({ ...env, ...inOceania, ...{ JURISDICTION: 'eu' }, JANITOR })
    expect(asked).toEqual([...everyJob, ...everyJob].map(() => undefined))
  })

  it('is one of the platform’s regions', () => {
    expect(configurationOf({ ...env, LOCATION: 'automatic' }).problems).toEqual([
      'LOCATION must be one of wnam, enam, sam, weur, eeur, apac, oc, afr, me',
    ])
  })
})

describe('a Worker that is bound to the publisher', () => {
  it('names the region of each recipient, which a jurisdiction excludes', async () => {
    for (const [JURISDICTION, hints] of [
      ['', [{ locationHint: 'sam' }, { locationHint: 'me' }, undefined]],
      ['eu', [undefined, undefined, undefined]],
    ] as const) {
      const { asked, namespace: INBOX } = observed(env.INBOX)
      const ctx = Object.assign(createExecutionContext(), { props: {} })
      const publisher = new NotificationPublisher(ctx, { ...env, INBOX, ...{ JURISDICTION } })
      const to = (region?: string) => gift({ id: newUserId() }, { region })
      await publisher.publish(to('sam'))
      await publisher.publishAll([to('me'), to()])
      expect(asked).toEqual(hints)
    }
  })
})
