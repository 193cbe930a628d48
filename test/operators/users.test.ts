import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { homeOf } from '../support/databases.ts'
import { inboxOf, publishTo } from '../support/device.ts'
import { newUserId } from '../support/ids.ts'
import { meter } from '../support/meter.ts'
import { records } from '../support/records.ts'
import { operator, type User } from '../support/user.ts'

const GIB = 1024 ** 3

async function overviewOf(support: User, user_id: string) {
  return made(records.UserOverview, await support.get(`/users/${encodeURIComponent(user_id)}`), 200)
}

const nothing = {
  is_being_erased: false,
  quota: { used_bytes: 0, limit_bytes: 5 * GIB, available_bytes: 5 * GIB, usage_percent: 0 },
  item_count: 0,
  asset_count: 0,
  public_asset_count: 0,
  version_count: 0,
  favorite_count: 0,
  open_upload_count: 0,
  notifications: { total: 0, unread: 0 },
}

describe('GET /v1/users/{user_id}', () => {
  it('counts what a user has, the trash and deleted assets too, and names nothing', async () => {
    const [ada, support] = [await signUpCreator('ada'), await operator('users:read')]
    const folder = await ada.folder('a secret folder')
    await ada.file('a secret file', 'x'.repeat(100), { parent_id: folder.id })
    await ada.delete(folder)
    await ada.publish({ name: 'a secret world', asset_type: 'world', visibility: 'public' })
    await ada.deleteAsset(await ada.asset('another'))
    const { size_bytes } = await ada.upload({ size_bytes: 50 })
    for (let i = 0; i < 2; i++) await publishTo(ada)
    await ada.request('POST', '/notifications/read')
    await publishTo(ada)
    const { quota, ...counts } = await overviewOf(support, ada.id)
    expect(quota).toEqual(await ada.quota())
    expect(quota.used_bytes).toBeGreaterThanOrEqual(100 + Number(size_bytes))
    expect(counts).toEqual({
      user_id: ada.id,
      is_being_erased: false,
      item_count: 3,
      asset_count: 2,
      public_asset_count: 1,
      version_count: 2,
      favorite_count: 0,
      open_upload_count: 1,
      notifications: { total: 3, unread: 1 },
    })
    expect((await support.get(`/users/${ada.id}`)).text).not.toContain('secret')
  })

  it('answers for a user whom nobody knows as for one who has nothing, and stores nothing', async () => {
    const { service, of } = meter()
    const support = (await operator('users:read')).through(service)
    const unknown = newUserId()
    const cost = await of(async () =>
      expect(await overviewOf(support, unknown)).toEqual({ user_id: unknown, ...nothing }),
    )
    expect(cost).toMatchObject({ trips: 1, rows_written: 0 })
    const stored = await runInDurableObject(inboxOf({ id: unknown }), (_, { storage }) => [
      ...storage.sql.exec(`SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'`),
      ...storage.kv.list(),
    ])
    expect(stored).toEqual([])
  })

  it('costs one trip and two rows, however much there is', async () => {
    const { service, of } = meter()
    const [ada, support] = [await signUpCreator('ada'), (await operator('users:read')).through(service)]
    for (let i = 0; i < 20; i++) await ada.file(`${i}`, 'x')
    const cost = await of(() => overviewOf(support, ada.id))
    expect(cost).toMatchObject({ trips: 1, rows_written: 0 })
    expect(cost.rows_read).toBeLessThanOrEqual(2)
  })

  it('says that a user is being erased while the job has rows to remove', async () => {
    const [ada, support] = [await signUpCreator('ada'), await operator('users:read')]
    await ada.file('a', 'a')
    await (await operator('users:erase')).request('DELETE', `/users/${ada.id}`)
    expect(await overviewOf(support, ada.id)).toMatchObject({ is_being_erased: true })
  })

  it('does not say so of a user whose erasure goes on in another database only', async () => {
    const [ada, support] = [await signUpCreator('ada'), await operator('users:read')]
    await homeOf(ada.id)
      .prepare(`INSERT INTO erasures (user_id, until, mark, is_guest) VALUES (?, 1, '', 1)`)
      .bind(ada.id)
      .run()
    expect(await overviewOf(support, ada.id)).toMatchObject({ is_being_erased: false })
  })
})
