import { describe, expect, it } from 'vitest'
import { homeOf } from '../support/databases.ts'
import { valuesOf } from '../support/description.ts'
import { silentQueue } from '../support/events.ts'
import { type Cost, meter } from '../support/meter.ts'
import { roomy, seedAssets, seedFolders, seedSiblings, seedUploads } from '../support/seed.ts'
import { operator, signUp } from '../support/user.ts'

const fileSorts = await valuesOf('listFiles', 'sort')

/** The same few steps of removing, whatever there is. */
const MOST = { rows_read: 20_000, rows_written: 6_000 }

describe('emptying a trash', () => {
  it('is one mark, of the same cost for 1,000 and for 100,000 entries, and gone from every answer at once', async () => {
    const { service, of } = meter(roomy)
    const costs: Cost[] = []
    for (const count of [1_000, 100_000]) {
      const ada = await signUp('ada', service)
      await seedSiblings(ada.id, null, count)
      await homeOf(ada.id)
        .prepare('UPDATE files SET trashed_at = 1700000000000 + created_at WHERE owner_id = ?')
        .bind(ada.id)
        .run()
      const cost = await of(() => ada.request('DELETE', '/trash'))
      costs.push(cost)
      expect(cost.trips).toBe(1)
      expect(cost.rows_read).toBeLessThanOrEqual(MOST.rows_read)
      expect(cost.rows_written).toBeLessThanOrEqual(MOST.rows_written)
      const listed = await of(async () => expect(await ada.trashed()).toEqual([]))
      expect(listed.rows_read).toBeLessThanOrEqual(10)
    }
    console.log(`emptying a trash of 1,000 and 100,000: ${JSON.stringify(costs)}`)
    expect(costs[1]?.rows_written).toBeLessThanOrEqual((costs[0]?.rows_written ?? 0) + 10)
    // It seeds 100,000 entries.
  }, 300_000)
})

describe('deleting a folder from the trash', () => {
  it('costs the same with 1,000 folders in it and with 10,000', async () => {
    const { service, of } = meter(roomy)
    const costs: Cost[] = []
    for (const count of [1_000, 10_000]) {
      const ada = await signUp('ada', service)
      const full = await ada.folder('full')
      await seedFolders(ada.id, full.id, count)
      await ada.delete(full)
      costs.push(await of(() => ada.request('DELETE', `/trash/${full.id}`)))
    }
    expect(costs[1]).toEqual(costs[0])
    expect(costs[0]?.trips).toBe(2)
    expect(costs[0]?.rows_read).toBeLessThanOrEqual(15_000)
    expect(costs[0]?.rows_written).toBeLessThanOrEqual(1_000)
  })
})

describe('emptying a trash of shared files, with events on', () => {
  it('writes at most as much, whatever is shared with how many', async () => {
    const webhook = {
      WEBHOOK_URL: 'https://hook.example/events',
      WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(32))}`,
    }
    const { service, of } = meter({ ...roomy, ...webhook }, { EVENTS: silentQueue().queue })
    const ada = await signUp('ada', service)
    await seedSiblings(ada.id, null, 2_000)
    const home = homeOf(ada.id)
    await home
      .prepare(
        `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at)
        SELECT files.id || '-' || value, files.id, owner_id, 'friend ' || value, 'view', 1700000000
        FROM files CROSS JOIN json_each(?2) WHERE owner_id = ?1 AND asset_type <> 'folder' AND name < 'name 0100000'`,
      )
      .bind(ada.id, JSON.stringify(Array.from({ length: 100 }, (_, i) => i)))
      .run()
    await home
      .prepare('UPDATE files SET trashed_at = 1700000000000 + created_at WHERE owner_id = ?')
      .bind(ada.id)
      .run()
    const cost = await of(() => ada.request('DELETE', '/trash'))
    console.log(`emptying a trash of shared files, with events: ${JSON.stringify(cost)}`)
    expect(cost.trips).toBe(1)
    expect(cost.rows_read).toBeLessThanOrEqual(MOST.rows_read)
    expect(cost.rows_written).toBeLessThanOrEqual(MOST.rows_written)
    const events = await home.prepare(`SELECT type, count(*) AS count FROM outbox GROUP BY type`).all()
    expect(events.results.map(({ type }) => type)).toContain('share.revoked')
  }, 120_000)
})

describe('erasing a user', () => {
  it('is one mark, of the same cost for 1,000 and for 100,000 of everything, and an empty account at once', async () => {
    const { service, of } = meter(roomy)
    const moderator = (await operator('users:erase')).through(service)
    const costs: Cost[] = []
    for (const count of [1_000, 100_000]) {
      const ada = await signUp('ada', service)
      await seedSiblings(ada.id, null, count)
      await seedAssets({ owner_id: ada.id, prefix: ada.id, from: 1, to: count / 10, visibility: 'public' })
      await seedUploads(ada.id, count / 10)
      const cost = await of(() => moderator.request('DELETE', `/users/${ada.id}`))
      costs.push(cost)
      // One more hides the user in the catalogue, before anything else.
      expect(cost.trips).toBe(3)
      expect(cost.rows_read).toBeLessThanOrEqual(MOST.rows_read)
      expect(cost.rows_written).toBeLessThanOrEqual(MOST.rows_written)
      for (const sort of fileSorts) {
        const listed = await of(async () => expect(await ada.names({ sort })).toEqual([]))
        expect(listed.rows_read, sort).toBeLessThanOrEqual(30)
      }
      await ada.folder('new')
      expect(await ada.names()).toEqual(['new'])
      const browsed = await of(() => moderator.get('/game/public?limit=50'))
      expect(browsed.rows_read).toBeLessThanOrEqual(3 * 51 + 10)
      expect((await moderator.get('/game/public?limit=100')).text).not.toContain(ada.id)
    }
    console.log(`erasing 1,000 and 100,000: ${JSON.stringify(costs)}`)
    // It seeds 100,000 of everything.
  }, 300_000)
})
