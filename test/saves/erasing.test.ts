import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { overridden } from '../support/meter.ts'
import { runJobIn } from '../support/objects.ts'
import { newPlayer } from '../support/saves.ts'
import { serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

it('an erasure removes saves at once, and a device that comes back matches nothing', async () => {
  const ada = await newPlayer()
  for (const text of ['one', 'two', 'three']) await ada.save('auto', text)
  await ada.save('gone', 'x')
  await ada.delete('gone')
  const eraser = await operator('users:erase')
  expect((await eraser.request('DELETE', `/users/${ada.id}`)).status).toBe(202)
  expect(await ada.list()).toMatchObject({ saves: [], used_bytes: 0 })
  expect((await ada.list('?deleted=true')).saves).toEqual([])
  expect(await ada.user.get('/saves/auto')).toBeProblem(404, 'SAVE_NOT_FOUND')
  const late = await ada.write('auto', 'of an old device', { 'If-Match': '"3"' })
  expect(late).toBeProblem(412, 'PRECONDITION_FAILED')
  expect(late.body).not.toHaveProperty('current')
  expect((await ada.save('auto', 'new')).revision).toBe(4)
  await runJobIn(3)
  expect(await ada.content('auto'), 'the job erases nothing that came later').toBe('new')
})

it('an erasure whose call to the saves fails is UNAVAILABLE, and the job finishes it', async () => {
  const ada = await newPlayer()
  await ada.save('auto', 'one')
  const out = overridden(env.SAVES, {
    getByName: () => ({ erase: () => Promise.reject(new Error('Network connection lost.')) }),
  })
  const eraser = (await operator('users:erase')).through(serviceWith({ SAVES: out }))
  expect(await eraser.request('DELETE', `/users/${ada.id}`)).toBeProblem(503, 'UNAVAILABLE')
  expect(await ada.content('auto')).toBe('one')
  await runJobIn(0)
  expect((await ada.list()).saves).toEqual([])
})
