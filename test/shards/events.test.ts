import { env } from 'cloudflare:test'
import { beforeEach, expect, it, vi } from 'vitest'
import { handle } from '../../src/janitor/consume.ts'
import { deliver } from '../../src/operators/events/deliver.ts'
import { wakeAfterJob } from '../../src/operators/events/tasks.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { databaseNames, placeOf } from '../support/databases.ts'
import { deliveryTo, emptyOutboxes, outboxRows, seedEvents } from '../support/delivery.ts'
import { firstUserId, newUserId } from '../support/ids.ts'
import { expectEventsCounted } from '../support/invariants.ts'
import { moveAll, usersOf } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { Receiver } from '../support/receiver.ts'
import { droppedCount, eventsByOwner, record } from '../support/recording.ts'

beforeEach(emptyOutboxes)

/** A user of the database at this index. */
function userAt(place: number): string {
  for (;;) {
    const id = newUserId()
    if (placeOf(id) === place) return id
  }
}

/** A user of the first database whose partition is not that of this one. */
function inAnotherPartition(user_id: string): string {
  for (;;) {
    const id = firstUserId()
    if (partitionOf(id) !== partitionOf(user_id)) return id
  }
}

/** Runs `act` while a partition of the first database is in this state, and opens the partition again. */
async function whilePartitionIs(state: string, partition: string, act: () => Promise<void>): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO partitions (partition, state, moved_to, has_rows) VALUES (?, ?, iif(?2 = 'gone', 'DB_1', NULL), 1)`,
  )
    .bind(partition, state)
    .run()
  await act()
  await env.DB.prepare('DELETE FROM partitions WHERE partition = ?').bind(partition).run()
}

it.each(['frozen', 'gone'])(
  'the events of a partition that is %s wait, and all others are sent',
  async (state) => {
    const receiver = new Receiver()
    const moving = firstUserId()
    const other = inAnotherPartition(moving)
    const waiting = await seedEvents(2, { resource_id: moving })
    const sent = await seedEvents(2, { resource_id: other })
    const before = await outboxRows()
    await whilePartitionIs(state, partitionOf(moving), async () => {
      expect((await deliver(deliveryTo(receiver).ctx, 'DB')).delivered).toBe(2)
      expect(await receiver.ids()).toEqual(sent)
      expect(await outboxRows()).toEqual(before.filter(({ id }) => waiting.includes(id)))
    })
    await deliver(deliveryTo(receiver).ctx, 'DB')
    expect(await receiver.ids()).toEqual([...sent, ...waiting])
  },
)

it('an event whose partition is frozen during its delivery stays claimed, so that source and copy are equal', async () => {
  const user_id = firstUserId()
  const [id] = await seedEvents(1, { resource_id: user_id })
  let during: unknown
  const { ctx } = deliveryTo(new Receiver(), {
    post: async () => {
      during = await outboxRows()
      await env.DB.prepare(`INSERT INTO partitions (partition, state) VALUES (?, 'frozen')`)
        .bind(partitionOf(user_id))
        .run()
      return undefined
    },
  })
  await deliver(ctx, 'DB')
  expect(await outboxRows()).toEqual(during)
  expect(during).toEqual([expect.objectContaining({ id, attempts: 1 })])
  await env.DB.prepare('DELETE FROM partitions WHERE partition = ?').bind(partitionOf(user_id)).run()
})

it('events move with their partition, past the limits of the target, are counted there, and are delivered at once', async () => {
  const receiver = new Receiver()
  const partition = '123'
  const [ada = '', bob = ''] = usersOf([partition], 2)
  await moveAll({ first: partition, last: partition }, 'DB')
  await record(ada, 40)
  await record(bob, 1)
  await moveAll({ first: partition, last: partition }, 'DB_1')
  await expectEventsCounted()
  expect(await eventsByOwner()).toEqual({ [ada]: 40, [bob]: 1 })
  const { ctx } = deliveryTo(receiver)
  expect(await deliver(ctx, 'DB')).toMatchObject({ delivered: 0 })
  expect(await deliver(ctx, 'DB_1')).toMatchObject({ delivered: 41 })
  await moveAll({ first: partition, last: partition }, 'DB')
})

it('dropped events are reported by a database whose first partition is elsewhere', async () => {
  const receiver = new Receiver()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const user_ids = databaseNames.map((_, place) => userAt(place))
  for (const user_id of user_ids) await record(user_id, 1, { MAX_EVENTS: 0 })
  const { ctx } = deliveryTo(receiver)
  for (const name of databaseNames) {
    await wakeAfterJob({ ...jobIn(0, name), config: ctx.config }, undefined)
    expect(await deliver(ctx, name)).toMatchObject({ delivered: 1 })
  }
  expect(await droppedCount()).toBe(0)
})

it('the queued event of an inbox is retried while its partition is frozen', async () => {
  const user_id = firstUserId()
  const [id = ''] = await seedEvents(1, { resource_id: user_id })
  await emptyOutboxes()
  const ended: string[] = []
  const message = {
    id: '1',
    timestamp: new Date(),
    attempts: 1,
    body: {
      kind: 'notification',
      event: { id, type: 'user.erased', resource_id: user_id, created_at: 1, data: {} },
    },
    ack: () => ended.push('ack'),
    retry: () => ended.push('retry'),
  }
  await whilePartitionIs('frozen', partitionOf(user_id), () =>
    handle(deliveryTo(new Receiver()).ctx, [message]),
  )
  expect({ ended, rows: await outboxRows() }).toEqual({ ended: ['retry'], rows: [] })
  await handle(deliveryTo(new Receiver()).ctx, [message])
  expect(ended).toEqual(['retry', 'ack'])
})
