import { expect, it } from 'vitest'
import { editFile } from '../../src/features/files/edit.ts'
import { runJob } from '../../src/janitor/run.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset, blockFile } from '../../src/operators/moderation/block.ts'
import { listBlocked } from '../../src/operators/moderation/list.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { asset, file, folder } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, everywhere } from '../support/databases.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { jobIn, runJobIn } from '../support/objects.ts'
import { seedSiblings } from '../support/seed.ts'

/** A user in each database, with a file and an asset. */
async function owners() {
  return Promise.all(
    databaseNames.map(async (name) => {
      const work = contextOf(newUserIdIn(name))
      return { work, file: await file(work), asset: await asset(work, 'castle') }
    }),
  )
}

/** A moderator who has blocked the items of these owners. */
async function moderatorOf(blocked: Awaited<ReturnType<typeof owners>>): Promise<RequestContext> {
  const moderator = contextOf(newUserId())
  for (const { file, asset } of blocked) {
    await blockFile(moderator, file.id, { reason: 'a reason' })
    await blockAsset(moderator, asset.id)
  }
  return moderator
}

async function blocksBy(user_id: string): Promise<number> {
  const counts = await everywhere<{ count: number }>(
    'SELECT count(*) AS count FROM blocks WHERE blocked_by = ?',
    user_id,
  )
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/** The block of one item in GET /v1/blocked. */
async function blockOf(id: string) {
  const { rows } = await listBlocked(contextOf(newUserId()), {
    kind: undefined,
    limit: 100,
    cursor: undefined,
  })
  return rows.find((row) => row.id === id)
}

async function erased(moderator: RequestContext): Promise<void> {
  await eraseUser(moderator, moderator.user_id)
  await runJobIn(0)
  await runJobIn(0.01)
}

it('an erased moderator’s id is removed from the blocks of every database, and the items stay blocked', async () => {
  const blocked = await owners()
  const moderator = await moderatorOf(blocked)
  expect(await blocksBy(moderator.user_id)).toBe(2 * databaseNames.length)
  await erased(moderator)
  expect(await blocksBy(moderator.user_id)).toBe(0)
  for (const { file, asset } of blocked) {
    expect(await blockOf(file.id)).toMatchObject({ blocked_by: null, reason: 'a reason' })
    expect(await blockOf(asset.id)).toMatchObject({ blocked_by: null, reason: null })
  }
})

it('blocks that the same user makes after the erasure keep the id, and so do blocks of another moderator', async () => {
  const [one, other] = [await owners(), await owners()]
  const [moderator, colleague] = [await moderatorOf(one), await moderatorOf(other)]
  await erased(moderator)
  for (const { file } of one) await blockFile(moderator, file.id)
  await runJobIn(0.02)
  expect(await blocksBy(moderator.user_id)).toBe(databaseNames.length)
  expect(await blocksBy(colleague.user_id)).toBe(2 * databaseNames.length)
})

it('an item that leaves a blocked folder during the erasure does not keep the moderator’s id', async () => {
  const ada = contextOf(newUserId())
  const top = await folder(ada, 'top')
  const inside = await file(ada, top.id)
  const moderator = contextOf(newUserId())
  await blockFile(moderator, top.id)
  const inboxes = { getByName: () => ({ erase: () => Promise.reject(new Error('cut off')) }) }
  await expect(eraseUser(Object.assign({ ...moderator }, { inboxes }), moderator.user_id)).rejects.toThrow()
  await editFile(ada, inside.id, { parent_id: null }, undefined)
  expect(await blocksBy(moderator.user_id)).toBe(2)
  await runJobIn(0)
  await runJobIn(0.01)
  expect(await blocksBy(moderator.user_id)).toBe(0)
})

it('a step changes at most 500 blocks, and the erasure ends when none is left', async () => {
  const [ada, moderator] = [contextOf(newUserId()), contextOf(newUserId())]
  const count = 1_700
  await seedSiblings(ada.user_id, null, count)
  await everywhere('UPDATE files SET blocked = 1 WHERE owner_id = ?', ada.user_id)
  await everywhere(
    `UPDATE blocks SET blocked_by = ?1 WHERE kind = 'files' AND id IN (SELECT id FROM files WHERE owner_id = ?2)`,
    moderator.user_id,
    ada.user_id,
  )
  expect(await blocksBy(moderator.user_id)).toBe(count)
  await eraseUser(moderator, moderator.user_id)
  expect(await blocksBy(moderator.user_id)).toBeGreaterThanOrEqual(count - 100)
  const home = moderator.db.name
  let before = await blocksBy(moderator.user_id)
  const isMarked = async () =>
    (await everywhere('SELECT 1 AS one FROM erasures WHERE user_id = ?', moderator.user_id)).length > 0
  const few = jobIn(0.01, home, { JOB_QUERIES: 80 })
  for (let runs = 0; before > 0; runs++) {
    expect(runs).toBeLessThan(40)
    expect(await isMarked()).toBe(true)
    await runJob(few)
    before = await blocksBy(moderator.user_id)
  }
  await runJobIn(0.01)
  expect(await isMarked()).toBe(false)
})

it('a parked event of a block is removed with the moderator', async () => {
  const blocked = await owners()
  const moderator = await moderatorOf(blocked)
  const data = JSON.stringify({ kind: 'files', id: 'x', owner_id: 'ada', blocked_by: moderator.user_id })
  await everywhere(
    `INSERT INTO outbox (id, type, resource_id, seq, data, created_at, next_at, parked_at)
      VALUES ('evt', 'content.blocked', 'x', 1, ?, 1, 1, unixepoch())`,
    data,
  )
  const webhook = { WEBHOOK_URL: 'https://hook.example/events' }
  await eraseUser({ ...moderator, config: { ...moderator.config, ...webhook } }, moderator.user_id)
  await runJobIn(0.01, webhook)
  expect(await everywhere(`SELECT id FROM outbox WHERE id = 'evt'`)).toEqual([])
})
