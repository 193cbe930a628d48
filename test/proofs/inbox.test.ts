import { describe, expect, inject, it } from 'vitest'
import {
  DAY,
  everything,
  expectAgreed,
  keyNamed,
  newInbox,
  now,
  publish,
  Replica,
  ring,
  rulesAt,
} from '../support/inbox.ts'
import { seeded } from '../support/seeded.ts'

const OPERATIONS = 3_000

describe('an inbox', () => {
  it(`counts right, and tells each change once and in order, after ${OPERATIONS} random operations`, async () => {
    const random = seeded(inject('proof').seed)
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]
    const [inbox, device, max_notifications] = [newInbox(), new Replica(), 40]
    const known: string[] = []
    const some = () => Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(known) ?? 'none yet')
    const marked: number[] = []
    const deleted: boolean[] = []

    const add = async () => {
      const time = random() < 0.1 ? now() - 91 * DAY : now()
      const key = random() < 0.3 ? keyNamed(`${Math.floor(random() * 2_000)}`) : undefined
      known.push((await publish(inbox, rulesAt(time, { max_notifications }), key)).id)
      if (known.length > 60) known.shift()
    }
    const operations: (() => Promise<unknown>)[] = [
      add,
      add,
      add,
      add,
      async () => marked.push(await inbox.markRead(some())),
      async () => random() < 0.1 && marked.push(await inbox.markRead(null)),
      async () => deleted.push(await inbox.remove(pick(known) ?? 'none yet')),
      async () => random() < 0.05 && ring(inbox),
    ]
    for (let done = 0; done < OPERATIONS; ) {
      const together = Math.min(1 + Math.floor(random() * 5), OPERATIONS - done)
      await Promise.all(Array.from({ length: together }, () => pick(operations)?.()))
      if (Math.floor((done + together) / 100) > Math.floor(done / 100)) await expectAgreed(inbox, device)
      done += together
    }
    await expectAgreed(inbox, device)
    const told = marked.reduce((sum, count) => sum + count, 0)
    expect(device.marked, 'what readers were told adds up to what was read').toBe(told)
    expect(deleted.filter((was) => was).length).toBeGreaterThan(100)
    const { notifications, ...standing } = await inbox.list(everything)
    expect(standing.total).toBeLessThanOrEqual(max_notifications)
    expect(notifications.map(({ id }) => id)).toEqual([...device.states.keys()].reverse())
  })
})
