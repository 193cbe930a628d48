import { describe, expect, it } from 'vitest'
import { eventsSince, everything, newInbox, now, publish, rulesAt } from '../support/inbox.ts'

const HOUR = 60 * 60
/** The announcements with these numbers, at a version of their list. */
const listAt = (version: number, ...numbers: number[]) => ({
  version,
  announcements: numbers.map((number) => ({
    number,
    type: 'studio.news',
    data: { number },
    expires_at: now() + HOUR,
  })),
})

/** An inbox and what two looks at once do with it: each may bring its list when the other has brought another. */
function scene() {
  const inbox = newInbox()
  return {
    inbox,
    sync: (list: ReturnType<typeof listAt>) => inbox.sync(list, 'ada', rulesAt(now())),
    numbers: async () =>
      (await inbox.list(everything)).notifications.map(({ data }) => ('number' in data ? data.number : 0)),
  }
}

describe('an inbox', () => {
  it('is not changed by a list that is as old as what it knows, or older', async () => {
    const { inbox, sync, numbers } = scene()
    await sync(listAt(20, 20))
    for (const list of [listAt(20, 20), listAt(20), listAt(10, 10), listAt(10), listAt(0)]) await sync(list)
    expect(await numbers()).toEqual([20])
    expect((await inbox.counts()).seq).toBe(1)
    expect(await inbox.counts({ version: 20, latest: 20 })).not.toHaveProperty('is_behind')
  })

  it('writes nothing for a list that neither brings nor ends anything, unless it has announcements', async () => {
    const { inbox, sync } = scene()
    await publish(inbox)
    await sync(listAt(20))
    expect(await inbox.counts({ version: 10, latest: 10 }), 'it has not kept the version').toMatchObject({
      is_behind: true,
    })
    await sync(listAt(30, 30))
    expect(await inbox.counts({ version: 40, latest: 30 })).toMatchObject({ is_behind: true })
    await sync(listAt(40, 30))
    expect(await inbox.counts({ version: 40, latest: 30 })).not.toHaveProperty('is_behind')
    expect(await eventsSince(inbox, 1)).toHaveLength(1)
  })

  it('is not told for ever that it is behind: one list brings it up to date', async () => {
    const { inbox, sync } = scene()
    for (const list of [listAt(10, 10), listAt(30, 20, 30), listAt(40, 20), listAt(50)]) {
      const told = {
        version: list.version,
        latest: Math.max(0, ...list.announcements.map((one) => one.number)),
      }
      expect(await inbox.counts(told)).toHaveProperty('is_behind')
      await sync(list)
      expect(await inbox.counts(told)).not.toHaveProperty('is_behind')
    }
  })
})
