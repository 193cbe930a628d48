import { describe, expect, it } from 'vitest'
import { Device, publishTo } from '../support/device.ts'
import { signUp } from '../support/user.ts'
import { inTurns, notifyEach } from './crowd.ts'

const USERS = 100

describe('one machine', () => {
  it(`tells each of ${USERS} users on ${USERS} sockets their own event, out of hibernation`, async () => {
    await notifyEach(USERS)
  })

  it('tells all 32 sockets of a user with one publication', async () => {
    const ada = await signUp('ada')
    const devices = await inTurns(32, () => Device.of(ada))
    const heard = devices.map((device) => device.next())
    await publishTo(ada)
    const events = await Promise.all(heard)
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(1)
    for (const device of devices) expect((await device.settled()).seqs).toEqual([1])
  })
})
