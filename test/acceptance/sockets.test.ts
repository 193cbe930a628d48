import { expect, it } from 'vitest'
import { Device } from '../support/device.ts'
import { data } from '../support/notifications.ts'
import { operator, signUp } from '../support/user.ts'

const PING_MS = 30_000
const HOUR_MS = 3_600_000

it('a socket hears of a notification that is published', async () => {
  const ada = await signUp('ada')
  const social = await operator('notifications:publish')
  const device = await Device.of(ada)
  const json = { user_id: ada.id, type: 'friend_request', data }
  expect((await social.request('POST', '/notifications', { json })).status).toBe(201)
  expect(await device.next()).toMatchObject({ type: 'notification', data: { type: 'friend_request' } })
  await device.leave()
})

it('a socket stays open for an hour, and hears of what is published then', {
  tags: 'long',
  timeout: 2 * HOUR_MS,
}, async () => {
  const ada = await signUp('ada')
  const social = await operator('notifications:publish')
  const device = await Device.of(ada)
  for (let waited = 0; waited < HOUR_MS; waited += PING_MS) {
    await new Promise((over) => setTimeout(over, PING_MS))
    await device.settled()
  }
  const json = { user_id: ada.id, type: 'friend_request', data }
  expect((await social.request('POST', '/notifications', { json })).status).toBe(201)
  expect(await device.next()).toMatchObject({ type: 'notification' })
})
