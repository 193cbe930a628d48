import { env } from 'cloudflare:test'
import { deliver } from '../../src/operators/events/deliver.ts'
import { databasesOver } from '../../test/support/context.ts'
import { measureDay } from '../../test/support/costs/day.ts'
import { measuring } from '../../test/support/costs/measure.ts'
import { worldOf } from '../../test/support/costs/world.ts'
import { deliveryTo, emptyOutboxes, seedEvents } from '../../test/support/delivery.ts'
import { silentQueue, webhook } from '../../test/support/events.ts'
import { meteredDatabase } from '../../test/support/meter.ts'

/** How many events are delivered for the price of one. */
const EVENTS = 240

/** What events cost: how many a request writes, and the rows that one of them takes to write and to deliver. */
export async function priceOfEvents() {
  const without = await pricesOfADay()
  const { queue } = silentQueue()
  const withEvents = await pricesOfADay(webhook, { EVENTS: queue })
  const more = (request: string) =>
    (withEvents.get(request)?.price.rows_written ?? 0) - (without.get(request)?.price.rows_written ?? 0)
  const rows_written = more('complete an upload')
  const counts = [...without.keys()].map((request) => [request, more(request) / rows_written] as const)
  const wrong = counts.filter(([, count]) => !Number.isInteger(count))
  if (wrong.length > 0) throw new Error(`no whole numbers of events: ${wrong}`)
  return {
    requests: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    written: { rows_written },
    delivered: await priceOfDelivery(),
  }
}

/** What each request of a day costs, by name. */
async function pricesOfADay(...configuration: Parameters<typeof measuring>) {
  const costs = await measuring(...configuration)
  await measureDay(costs, await worldOf(costs, 0))
  return costs.take()
}

async function priceOfDelivery() {
  await emptyOutboxes()
  // Each is about a user of its own: those of one thing are delivered one after the other.
  for (let i = 0; i < EVENTS; i++) await seedEvents(1)
  const sum = { rows_read: 0, rows_written: 0 }
  const DB = meteredDatabase(env.DB, (results) => {
    for (const { meta } of results) {
      sum.rows_read += meta.rows_read
      sum.rows_written += meta.rows_written
    }
  })
  const receiver = { url: webhook.WEBHOOK_URL }
  const { ctx } = deliveryTo(receiver, { databases: databasesOver({ DB }), post: async () => undefined })
  const { delivered } = await deliver(ctx, 'DB')
  if (delivered !== EVENTS) throw new Error(`${delivered} of ${EVENTS} events were delivered`)
  const each = (count: number) => Math.round((10 * count) / EVENTS) / 10
  return { rows_read: each(sum.rows_read), rows_written: each(sum.rows_written) }
}
