import { evictDurableObject } from 'cloudflare:test'
import { expect } from 'vitest'
import { Device, inboxOf, publishTo } from '../support/device.ts'
import { signUp } from '../support/user.ts'

const AT_ONCE = 50

/**
 * Opens a socket for each of `users` users, evicts their objects, publishes one notification to each, and expects each
 * socket to receive only its user's. Returns how long each step took, in milliseconds.
 */
export async function notifyEach(users: number) {
  const began = Date.now()
  const devices = await inTurns(users, async () => {
    const user = await signUp()
    return { user, device: await Device.of(user) }
  })
  const connected = Date.now()
  await Promise.all(devices.map(({ user }) => evictDurableObject(inboxOf(user))))
  const asleep = Date.now()
  const heard = devices.map(({ device }) => device.next())
  await inTurns(users, (index) => {
    const { user } = devices[index] ?? {}
    return user ? publishTo(user, `friend ${index}`) : Promise.reject(new Error('nobody there'))
  })
  const events = await Promise.all(heard)
  const received = Date.now()
  for (const [index, event] of events.entries())
    expect(event).toMatchObject({
      seq: 1,
      unread: 1,
      data: { data: { from_display_name: `friend ${index}` } },
    })
  for (const { device } of devices) expect((await device.settled()).seqs).toEqual([1])
  return { opened: connected - began, evicted: asleep - connected, heard: received - asleep }
}

/** Calls `act` with 0 to `count` - 1, up to AT_ONCE at a time. Returns the results in this order. */
export async function inTurns<Result>(
  count: number,
  act: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = next++; index < count; index = next++) results[index] = await act(index)
    }),
  )
  return results
}
