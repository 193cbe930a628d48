import { beforeAll, describe, expect, it } from 'vitest'
import { databaseNames, everyDatabase, homeOf } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { meter } from '../support/meter.ts'
import { hintShares, seedSiblings } from '../support/seed.ts'
import { signUp, type User } from '../support/user.ts'

const LIMIT = 50
/** With several databases, what crosses users takes a trip more: to the grantee’s hints. */
const CROSSING = everyDatabase.length > 1 ? 2 : 1

describe.each([1_000, 100_000])('with %i in the list', (count) => {
  const { service, of } = meter({ MAX_ITEMS: '1000000' })
  let ada: User
  let bob: User
  const d = 4

  beforeAll(async () => {
    ;[ada, bob] = [await signUp('ada', service), await signUp('bob', service)]
    const deep = await ada.folder('3', { in: await ada.folder('2', { in: await ada.folder('1') }) })
    await seedSiblings(ada.id, deep.id, count)
    await homeOf(ada.id)
      .prepare(
        `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
      SELECT id || ' share', id, owner_id, ?1, 'view', NULL, created_at FROM files
      WHERE owner_id = ?2 AND parent_id = ?3 AND asset_type <> 'folder'`,
      )
      .bind(bob.id, ada.id, deep.id)
      .run()
    await hintShares(ada.id, bob.id)
    const carol = await signUp('carol')
    await seedSiblings(carol.id, null, count)
    await homeOf(carol.id)
      .prepare('UPDATE files SET trashed_at = created_at * 1000, owner_id = owner_id WHERE owner_id = ?')
      .bind(carol.id)
      .run()
    trashed = carol.through(service)
    // It seeds 100,000 items, and as many entries of a trash.
  }, 300_000)
  let trashed: User

  it('a page of the trash costs one trip and 2n + 10 rows at most', async () => {
    let cursor = ''
    for (let page = 0; page < 2; page++) {
      const cost = await of(async () => {
        const { body } = await trashed.get(`/trash?limit=${LIMIT}${cursor}`)
        cursor = `&cursor=${(body as { next_cursor: string }).next_cursor}`
      })
      expect(cost).toMatchObject({ trips: 1, rows_written: 0 })
      expect(cost.rows_read).toBeLessThanOrEqual(2 * LIMIT + 10)
    }
  })

  it('restoring and deleting one of them costs what its path costs', async () => {
    const { files } = (await trashed.get('/trash?limit=1')).body as { files: [{ id: string }] }
    for (const change of [() => trashed.restore(files[0]), () => trashed.delete(files[0])]) {
      const cost = await of(change)
      expect(cost.trips).toBe(1)
      expect(cost.rows_read).toBeLessThanOrEqual(4 + 20)
      expect(cost.rows_written).toBeLessThanOrEqual(6)
    }
  })

  it('a page of what is shared with me costs one trip and n × (3d + 4) + 10 rows at most', async () => {
    let cursor = ''
    for (let page = 0; page < 2; page++) {
      const cost = await of(async () => {
        const { body } = await bob.get(`/shares?limit=${LIMIT}${cursor}`)
        expect((body as { shares: unknown[] }).shares).toHaveLength(LIMIT)
        cursor = `&cursor=${(body as { next_cursor: string }).next_cursor}`
      })
      expect(cost).toMatchObject({ trips: CROSSING, rows_written: 0 })
      expect(cost.rows_read).toBeLessThanOrEqual((LIMIT + 1) * (3 * d + 4) + 10)
    }
  })

  it('a grantee’s URL costs one trip and 4d + 10 rows at most, and revoking no more', async () => {
    const [share] = await bob.sharedWithMe()
    const cost = await of(() => bob.sharedUrl(share?.id ?? ''))
    expect(cost).toMatchObject({ trips: 1, rows_written: 0, r2_calls: 0 })
    expect(cost.rows_read).toBeLessThanOrEqual(4 * d + 10)
    const revoked = await of(() => ada.revoke(share?.id ?? ''))
    expect(revoked.trips).toBe(1)
    expect(revoked.rows_read).toBeLessThanOrEqual(4 * d + 10)
  })
})

describe('the shares of a file', () => {
  it('cost one trip and 2n + 10 rows to list, and no more to add to when there are many', async () => {
    const { service, of } = meter()
    const ada = await signUp('ada', service)
    const file = await ada.file('a', 'a')
    const share = async (grantee_id: string) =>
      expect((await ada.createShare(file, { grantee_id, permission: 'view' })).status).toBe(201)
    const someone = newUserIdIn(databaseNames[0] ?? '', 'first ')
    const first = await of(() => share(someone))
    for (let i = 0; i < 100; i++) await share(`user ${i}`)
    const last = await of(() => share(newUserIdIn(databaseNames[0] ?? '', 'last ')))
    expect(last).toEqual(first)
    // In one database, hint and share are one batch. In two: a look at the file and at the hint, the hint, the share.
    const isNear = (grantee_id: string) => homeOf(grantee_id) === homeOf(ada.id)
    expect(first.trips).toBe(isNear(someone) ? 1 : 4)
    const again = await of(() => share(`user 1`))
    expect(again.trips, 'the hint is fresh').toBe(isNear('user 1') ? 1 : 3)
    const listed = await of(() => ada.get(`/files/${file.id}/shares`))
    expect(listed.trips).toBe(1)
    expect(listed.rows_read).toBeLessThanOrEqual(2 * 102 + 10)
  })
})

describe('restoring a folder', () => {
  it('reads and writes the same few rows with 10 and with 100,000 items below', async () => {
    const { service, of } = meter({ MAX_ITEMS: '1000000' })
    const ada = await signUp('ada', service)
    const costs = []
    for (const items of [10, 100_000]) {
      const folder = await ada.folder('full')
      await seedSiblings(ada.id, folder.id, items)
      const deleted = await of(() => ada.delete(folder))
      const restored = await of(() => ada.restore(folder))
      costs.push([deleted, restored])
      expect(restored.rows_read).toBeLessThanOrEqual(4 + 20)
      expect(restored.rows_written).toBeLessThanOrEqual(6)
    }
    expect(costs[1]).toEqual(costs[0])
    // It seeds 100,000 items.
  }, 300_000)
})
