import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { steps } from '../../src/features/notifications/migrations.ts'
import { migrate } from '../../src/platform/lib/durable-object.ts'
import { everything, newInbox, publish, type Stub } from '../support/inbox.ts'

/** Steps of later releases: each fails when it is applied twice. */
const [add, fill] = [
  'CREATE TABLE labels (notification_id TEXT NOT NULL, label TEXT NOT NULL) STRICT',
  `ALTER TABLE labels ADD COLUMN colour TEXT;
  INSERT INTO labels (notification_id, label) SELECT id, 'old' FROM notifications`,
]

const within = <Answer>(inbox: Stub, work: (storage: DurableObjectStorage) => Answer) =>
  runInDurableObject(inbox, (_, { storage }) => work(storage))

const version = (inbox: Stub) => within(inbox, ({ kv }) => kv.get('schema_version'))

const labels = (inbox: Stub) =>
  within(inbox, ({ sql }) => sql.exec('SELECT notification_id, label, colour FROM labels').toArray())

/** Placeholders for the released steps, which are applied already. */
const released = steps.map(() => 'applied already')
const latest = steps.length

describe('an inbox at the latest version', () => {
  it('gets the later steps, in order and once each, and keeps its notifications', async () => {
    const inbox = newInbox()
    const { id } = await publish(inbox)
    expect(await version(inbox)).toBe(latest)
    for (let woken = 0; woken < 3; woken++)
      await within(inbox, (storage) => migrate(storage, [...released, add, fill]))
    expect(await version(inbox)).toBe(latest + 2)
    expect(await labels(inbox)).toEqual([{ notification_id: id, label: 'old', colour: null }])
    expect((await inbox.list(everything)).notifications).toMatchObject([{ id }])
  })

  it('gets the steps of several releases one by one or at once', async () => {
    const inbox = newInbox()
    const { id } = await publish(inbox)
    for (const steps of [[add], [add, fill], [add, fill]])
      await within(inbox, (storage) => migrate(storage, [...released, ...steps]))
    expect(await labels(inbox)).toEqual([{ notification_id: id, label: 'old', colour: null }])
  })

  it('gets all steps or none, and tries again after a failure', async () => {
    const inbox = newInbox()
    await publish(inbox)
    const broken = [...released, add, 'ALTER TABLE unknown ADD COLUMN colour TEXT']
    await within(inbox, (storage) => expect(() => migrate(storage, broken)).toThrow('no such table: unknown'))
    expect(await version(inbox)).toBe(latest)
    await within(inbox, (storage) => migrate(storage, [...released, add, fill]))
    expect(await labels(inbox)).toHaveLength(1)
  })

  it('is left unchanged by an earlier Worker after a later one has migrated it', async () => {
    const inbox = newInbox()
    await publish(inbox)
    await within(inbox, (storage) => migrate(storage, [...released, add]))
    await evictDurableObject(inbox)
    expect((await inbox.list(everything)).total).toBe(1)
    expect(await version(inbox)).toBe(latest + 1)
  })
})
