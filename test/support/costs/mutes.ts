import { env } from 'cloudflare:test'
import { homeOf } from '../databases.ts'
import { newKey } from '../ids.ts'
import { gift } from '../notifications.ts'
import { operator, signUp } from '../user.ts'
import type { Budget, Measuring } from './measure.ts'
import { FEW, type World } from './world.ts'

/** Requests of a user who has muted `count` others, 900 at most. The list is read with each change, because the inbox gets it whole. */
export async function measureMutes({ measure, service }: Measuring, { count }: World): Promise<void> {
  const muted = count > FEW ? 900 : 10
  const ada = await signUp('ada', service)
  const request = (method: string, user_id: string) => ada.request(method, `/mutes/${user_id}`)
  await request('PUT', 'first')
  const ids = Array.from({ length: muted }, (_, number) => `player ${number}`)
  await homeOf(ada.id)
    .prepare(
      `INSERT INTO mutes (user_id, muted_id, id, created_at)
      SELECT ?1, value, '01a1fe90 ' || key, 1700000000 FROM json_each(?2)`,
    )
    .bind(ada.id, JSON.stringify(ids))
    .run()
  await env.INBOX.getByName(ada.id).setMutes('0', ids)
  await request('PUT', 'second') // the inbox has all of them
  const change = (rows_written: number, inbox_rows_written: number): Budget => ({
    trips: 1,
    rows_read: muted + 30,
    rows_written,
    r2_calls: 0,
    inbox_calls: 1,
    inbox_rows_read: 4 * muted + 30,
    inbox_rows_written,
    grows: true,
    varies: 'many',
  })
  // The mute with its two indexes, the counter, and the list with its index.
  await measure('mute a user', () => request('PUT', 'third'), 204, change(7, 1))
  await measure('mute a user again', () => request('PUT', 'third'), 204, change(3, 0))
  await measure('unmute a user', () => request('DELETE', 'third'), 204, change(7, 1))
  await measure('unmute a user who is not muted', () => request('DELETE', 'third'), 204, change(3, 0))
  for (const limit of [1, 100])
    await measure(`list ${limit} muted users`, () => ada.get(`/mutes?limit=${limit}`), 200, {
      trips: 1,
      rows_read: limit + 10,
      rows_written: 0,
      grows: true,
    })
  const social = (await operator('notifications:publish')).through(service)
  const publish = (sender_id: string) =>
    social.request('POST', '/notifications', {
      json: gift(ada, { sender_id }),
      headers: newKey(),
    })
  await publish('somebody') // the keys have a row
  const one: Budget = { trips: 0, r2_calls: 0, inbox_calls: 1, inbox_rows_read: 5 }
  await measure('publish from a muted user', () => publish('first'), 409, { ...one, inbox_rows_written: 0 })
  await measure('publish from a user who is not muted', () => publish('eve'), 201, {
    ...one,
    inbox_rows_written: 3,
  })
}
