import { env } from 'cloudflare:workers'
import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { runJob } from '../../src/janitor/run.ts'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import type { Stage } from '../../src/operators/shards/mover/names.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import type { Answer } from '../support/answer.ts'
import { databaseNames, everyDatabase } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { everything, moveAll, mover, settle, undoAll, usersOf } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { isolate } from '../support/service.ts'
import { signUp, User } from '../support/user.ts'

const partition = '3a5'
const range = { first: partition, last: partition }
/** DB_1 */
const [, target] = everyDatabase
const users = usersOf([partition], 3)
await settle(users)
await moveAll(range, 'DB')
const [ada = new User('', '')] = await Promise.all(
  users.map(async (user_id) => new User(user_id, await tokenFor(user_id))),
)

/** Moves the partition to DB_1 until the stage is reached. */
async function moveUntil(stage: Stage): Promise<void> {
  for (let steps = 0; steps < 100; steps++)
    if ((await moveStep(mover(), range, 'DB_1', { steps: 1 })).stage === stage) return
  throw new Error(`never at ${stage}`)
}

/** Runs `act` with a trigger removed from each database. */
async function without(trigger: string, act: () => Promise<void>): Promise<void> {
  const { sql = '' } =
    (await env.DB.prepare(`SELECT sql FROM sqlite_schema WHERE name = ?`)
      .bind(trigger)
      .first<{ sql: string }>()) ?? {}
  const inert = sql.replace(/BEGIN[\s\S]*END$/, 'BEGIN SELECT 1; END')
  for (const database of everyDatabase)
    await database.batch([database.prepare(`DROP TRIGGER ${trigger}`), database.prepare(inert)])
  try {
    await act()
  } finally {
    for (const database of everyDatabase)
      await database.batch([database.prepare(`DROP TRIGGER ${trigger}`), database.prepare(sql)])
  }
}

/** The rows that a write made or changed. */
const nameIn = ({ text }: Answer) => z.object({ name: z.string() }).parse(JSON.parse(text)).name

/** Writes while the partition is frozen. Returns whether the acknowledged write exists after the move. */
async function isKeptAfterFreeze(write: (owner: User) => Promise<Answer>): Promise<boolean> {
  await moveUntil('close')
  const answer = await write(ada.through(isolate()))
  await moveAll(range, 'DB_1')
  const names = await ada.names()
  await moveAll(range, 'DB')
  return answer.status === 503 || names.includes(nameIn(answer))
}

it('refuses writes and serves reads while a partition is frozen; other partitions take writes, and the job waits', async () => {
  await moveUntil('copy')
  const answer = await ada.createFolder({ name: 'late', asset_type: 'folder' })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('Retry-After')).not.toBeNull()
  expect((await ada.get('/quota')).status).toBe(200)
  expect((await ada.get('/files')).status).toBe(200)
  let other = await signUp()
  while (partitionOf(other.id) === partition) other = await signUp()
  expect((await other.folder()).name).toBe('folder')
  for (const name of databaseNames) {
    const report = await runJob(jobIn(0, name))
    expect(report.waits_for_move, name).toBe(name === 'DB_2' ? undefined : true)
    expect(report.failed, name).toBeUndefined()
  }
  await moveAll(range, 'DB_1')
  for (const name of databaseNames) expect((await runJob(jobIn(0, name))).waits_for_move).toBeUndefined()
  expect((await ada.folder('after')).name).toBe('after')
  await moveAll(range, 'DB')
})

it.each([
  [
    'that begins with the user’s counters',
    'usage_before_insert_fence',
    (owner: User) => owner.createFolder({ name: crypto.randomUUID(), asset_type: 'folder' }),
  ],
  [
    'that does not',
    'partition_fence_instead_of_insert_refuse',
    async (owner: User) => {
      const [item] = (await owner.page()).files
      return owner.change(item?.id ?? '', { name: crypto.randomUUID() })
    },
  ],
] as const)('keeps each acknowledged write %s, which it would lose without %s', async (_, fence, write) => {
  expect(await isKeptAfterFreeze(write)).toBe(true)
  await without(fence, async () => {
    expect(await isKeptAfterFreeze(write)).toBe(false)
  })
})

it('refuses a write of a Worker that sends the fence of an earlier version', async () => {
  await moveUntil('close')
  const fence = (name: string) =>
    env.DB.prepare('INSERT INTO fence (partition, database) VALUES (?, ?)').bind(name, 'DB').run()
  for (const name of [partition, '*']) await expect(fence(name)).rejects.toThrow('refused:FROZEN')
  await moveUntil('remove')
  await expect(fence('*'), 'the rows are still there').rejects.toThrow('refused:FROZEN')
  await moveAll(range, 'DB_1')
  await expect(fence(partition)).rejects.toThrow('refused:MOVED')
  await moveAll(range, 'DB')
  expect((await fence(partition)).success).toBe(true)
})

it('accepts a write for a partition without a row in the first database only', async () => {
  const [first, second] = everyDatabase
  const fence = (database = first, ...more: string[]) =>
    database
      ?.prepare(`INSERT INTO partition_fence VALUES ('new', ${more.length > 0 ? '?' : 'NULL'})`)
      .bind(...more)
      .run()
  expect((await fence())?.success).toBe(true)
  await expect(fence(second, 'gone')).rejects.toThrow('refused:MOVED')
})

it('undoes a move when a copied row differs in any column', async () => {
  const changes = [
    `UPDATE files SET name = 'other' WHERE id = (SELECT min(id) FROM files WHERE owner_id = ?)`,
    'DELETE FROM shares WHERE id = (SELECT min(id) FROM shares WHERE owner_id = ?)',
    'UPDATE usage SET used_bytes = used_bytes - 1 WHERE user_id = ?',
    `INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at) VALUES ('${partition}', ?, 'fff', 1)`,
  ]
  for (const change of changes) {
    const before = await everything()
    await moveUntil('compare')
    await target?.prepare(change).bind(ada.id).run()
    await expect(moveAll(range, 'DB_1')).rejects.toThrow('differ')
    expect(await everything()).toEqual(before)
    expect((await ada.folder('goes on')).name).toBe('goes on')
  }
})

it('undoes a move when the counters show that rows were missed', async () => {
  await moveUntil('compare')
  for (const database of [env.DB, target])
    await database?.prepare('UPDATE usage SET items = items + 1 WHERE user_id = ?').bind(ada.id).run()
  await expect(moveAll(range, 'DB_1')).rejects.toThrow('counters')
  await env.DB.prepare('UPDATE usage SET items = items - 1 WHERE user_id = ?').bind(ada.id).run()
})

it('ends the same with two movers at once as with one', async () => {
  const before = await everything()
  const movers = [moveAll(range, 'DB_1'), moveAll(range, 'DB_1'), moveAll(range, 'DB_1')]
  await Promise.all(movers)
  const after = await everything()
  expect(after.strays).toEqual([])
  expect(after.rows).toEqual(before.rows)
})

it('opens a partition in no database while another has it', async () => {
  await moveAll(range, 'DB')
  const open = `INSERT INTO partitions (partition, state) VALUES (?1, 'open') ON CONFLICT (partition) DO UPDATE SET state = 'open'`
  await expect(target?.prepare(open).bind(partition).run()).rejects.toThrow('refused:MOVED')
  await moveUntil('copy')
  await undoAll()
  expect((await everything()).strays).toEqual([])
})
