import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { Device, inboxOf, publishTo } from '../support/device.ts'
import { signUp } from '../support/user.ts'

const USERS = 2_000
const AT_ONCE = 50

describe('one machine', () => {
  it(`tells each of ${USERS} users on ${USERS} sockets their own event, out of hibernation`, async () => {
    const began = Date.now()
    const devices = await inTurns(USERS, async () => {
      const user = await signUp()
      return { user, device: await Device.of(user) }
    })
    const connected = Date.now()
    await Promise.all(devices.map(({ user }) => evictDurableObject(inboxOf(user))))
    const asleep = Date.now()
    const heard = devices.map(({ device }) => device.next())
    await inTurns(USERS, (index) => {
      const { user } = devices[index] ?? {}
      return user ? publishTo(user, `friend ${index}`) : Promise.reject(new Error('nobody there'))
    })
    const events = await Promise.all(heard)
    const told = Date.now()
    for (const [index, event] of events.entries())
      expect(event).toMatchObject({
        seq: 1,
        unread: 1,
        data: { data: { from_display_name: `friend ${index}` } },
      })
    for (const { device } of devices) expect((await device.settled()).seqs).toEqual([1])
    console.info(
      `${USERS} sockets opened in ${connected - began} ms, their objects evicted in ${asleep - connected} ms, one event for each published and heard in ${told - asleep} ms`,
    )
  })

  it('tells all 32 sockets of a user with one publication', async () => {
    const ada = await signUp('ada')
    const devices = await inTurns(32, () => Device.of(ada))
    const began = Date.now()
    const heard = devices.map((device) => device.next())
    await publishTo(ada)
    const events = await Promise.all(heard)
    console.info(`32 sockets of one user told in ${Date.now() - began} ms`)
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(1)
    for (const device of devices) expect((await device.settled()).seqs).toEqual([1])
  })
})

/** Does something `count` times, some at once, and gives what came of each, in order. */
async function inTurns<Result>(count: number, act: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = next++; index < count; index = next++) results[index] = await act(index)
    }),
  )
  return results
}
