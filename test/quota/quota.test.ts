import { describe, expect, it } from 'vitest'
import { expectSound } from '../support/invariants.ts'
import { meter } from '../support/meter.ts'
import { operator, put, signUp } from '../support/user.ts'

const GIB = 1024 ** 3
const bytes = (count: number) => new Uint8Array(count)

describe('GET /v1/quota', () => {
  it('counts files, those in the trash, and open uploads; a failed or aborted one counts nothing', async () => {
    const ada = await signUp()
    const empty = { used_bytes: 0, limit_bytes: 5 * GIB, available_bytes: 5 * GIB, usage_percent: 0 }
    expect((await ada.get('/quota')).body).toEqual(empty)
    const file = await ada.file('a', 'x'.repeat(100))
    await ada.delete(file)
    const open = await ada.upload({ size_bytes: 50 })
    expect((await ada.quota()).used_bytes).toBe(150)
    await ada.abort(open)
    const failing = await ada.upload({ size_bytes: 30 })
    await put({ ...failing, headers: {} }, bytes(1))
    expect(await ada.complete(failing)).toBeProblem(409, 'UPLOAD_INCOMPLETE')
    await ada.abort(failing)
    expect(await ada.quota()).toEqual({
      used_bytes: 100,
      limit_bytes: 5 * GIB,
      available_bytes: 5 * GIB - 100,
      usage_percent: 10_000 / (5 * GIB),
    })
  })

  it('costs one trip and three rows at most', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    for (let i = 0; i < 20; i++) await ada.file(`${i}`, 'x')
    const cost = await of(() => ada.quota())
    expect(cost).toMatchObject({ trips: 1, rows_written: 0 })
    expect(cost.rows_read).toBeLessThanOrEqual(3)
  })
})

describe('/v1/users/{user_id}/quota', () => {
  it('gives a user a limit of their own, which holds, and the default again', async () => {
    const ada = await signUp()
    const admin = await operator('quota:write')
    const at = `/users/${ada.id}/quota`
    const set = await admin.request('PUT', at, { json: { limit_bytes: 100 } })
    expect(set.body).toEqual({ used_bytes: 0, limit_bytes: 100, available_bytes: 100, usage_percent: 0 })
    await ada.file('a', 'x'.repeat(60))
    const upload = { upload_type: 'file', name: 'b', size_bytes: 41, mime_type: 'a/b' }
    const refused = await ada.startUpload(upload)
    expect(refused).toBeProblem(403, 'QUOTA_EXCEEDED')
    expect(refused.body).toMatchObject({
      detail: 'This needs 41 bytes, and 40 of 100 are free. Empty the trash, or delete something for good.',
      used_bytes: 60,
      limit_bytes: 100,
      needed_bytes: 41,
    })
    expect((await ada.quota()).usage_percent).toBe(60)
    expect((await admin.get(at)).body).toEqual((await ada.get('/quota')).body)
    await admin.request('PUT', at, { json: { limit_bytes: null } })
    expect((await ada.quota()).limit_bytes).toBe(5 * GIB)
    expect((await ada.startUpload(upload)).status).toBe(201)
  })

  it('takes a limit below what is used: nothing is lost, and nothing more comes in', async () => {
    const ada = await signUp()
    const admin = await operator('quota:write')
    const file = await ada.file('a', 'x'.repeat(60))
    const set = await admin.request('PUT', `/users/${ada.id}/quota`, { json: { limit_bytes: 50 } })
    expect(set.body).toEqual({ used_bytes: 60, limit_bytes: 50, available_bytes: 0, usage_percent: 120 })
    expect(await (await ada.download(file)).text()).toHaveLength(60)
    const upload = { upload_type: 'file', name: 'b', size_bytes: 1, mime_type: 'a/b' }
    expect(await ada.startUpload(upload)).toBeProblem(403, 'QUOTA_EXCEEDED')
  })

  it('lets an upload complete that was let in before the limit was lowered', async () => {
    const ada = await signUp()
    const admin = await operator('quota:write')
    const upload = await ada.upload({ size_bytes: 3, mime_type: 'text/plain' })
    await put(upload, bytes(3))
    await admin.request('PUT', `/users/${ada.id}/quota`, { json: { limit_bytes: 1 } })
    expect((await ada.complete(upload)).status).toBe(200)
    expect((await ada.quota()).used_bytes).toBe(3)
    await expectSound(ada.id)
  })

  it('says 100 percent of a limit of 0', async () => {
    const ada = await signUp()
    const admin = await operator('quota:write')
    const set = await admin.request('PUT', `/users/${ada.id}/quota`, { json: { limit_bytes: 0 } })
    expect(set.body).toMatchObject({ limit_bytes: 0, available_bytes: 0, usage_percent: 100 })
  })

  it('refuses a limit that is none, and a user that can be none', async () => {
    const admin = await operator('quota:write')
    for (const limit_bytes of [-1, 1.5, '5', undefined, 2 ** 60])
      expect(await admin.request('PUT', '/users/ada/quota', { json: { limit_bytes } })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/limit_bytes',
      )
    for (const user of ['x'.repeat(129), 'a%00b', '%20', '%E3%80%80%C2%A0'])
      expect(await admin.get(`/users/${user}/quota`)).toBeProblem(400, 'VALIDATION_FAILED', '/user_id')
  })

  it('takes any user id that is one, and knows them apart code point by code point', async () => {
    const admin = await operator('quota:write')
    const names = [
      `${crypto.randomUUID()}/a b?#%`,
      `${crypto.randomUUID()}é`,
      `${crypto.randomUUID()}e\u0301`,
    ]
    for (const [i, name] of names.entries())
      await admin.request('PUT', `/users/${encodeURIComponent(name)}/quota`, { json: { limit_bytes: i } })
    for (const [i, name] of names.entries())
      expect((await admin.get(`/users/${encodeURIComponent(name)}/quota`)).body).toMatchObject({
        limit_bytes: i,
      })
  })
})
