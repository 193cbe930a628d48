import { beforeAll, expect, it } from 'vitest'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { nextPortion } from '../../src/operators/shards/mover/plan.ts'
import { newId } from '../../src/platform/db/id.ts'
import { databasesOver } from '../support/context.ts'
import { everyDatabase, everywhere } from '../support/databases.ts'
import { mover, usersOf } from '../support/moving.ts'

/** Partitions of the first database without users. */
const range = { first: '300', last: '30b' }
const [one, two, three, four] = ['300', '303', '306', '309'] as const
const portionOf = async (rows: number, partitions = 256) =>
  (await nextPortion(databasesOver(), range, 'DB_1', { partitions, rows }))?.partitions

/** Inserts hints for a user of a partition into the partition's database. */
async function shareHints(partition: string, count: number): Promise<void> {
  const database = everyDatabase[Number.parseInt(partition, 16) % everyDatabase.length]
  const hint = database?.prepare('INSERT INTO share_hints VALUES (?, ?, ?, 1700000000, -1)')
  await database?.batch(
    Array.from({ length: count }, (_, index) =>
      (hint ?? expect.fail()).bind(partition, `${partition} ${index}`, 'abc'),
    ),
  )
}

async function branchHints(partition: string, count: number): Promise<void> {
  const database = everyDatabase[Number.parseInt(partition, 16) % everyDatabase.length]
  const hint = database?.prepare('INSERT INTO branch_hints VALUES (?, ?, 1700000000)')
  const source = newId(usersOf([partition], 1)[0] ?? '')
  await database?.batch(
    Array.from({ length: count }, (_, index) =>
      (hint ?? expect.fail()).bind(source, index.toString(16).padStart(3, '0')),
    ),
  )
}

beforeAll(async () => {
  await shareHints(one, 3)
  await shareHints(two, 2)
  await branchHints(two, 2)
  await shareHints(three, 20)
  await branchHints(four, 4)
})

it('a portion ends before its hints are too many rows, and a partition with more rows is a portion of its own', async () => {
  expect(await portionOf(2)).toEqual([one])
  expect(await portionOf(6)).toEqual([one])
  expect(await portionOf(7)).toEqual([one, two])
  expect(await portionOf(26)).toEqual([one, two])
  expect(await portionOf(27)).toEqual([one, two, three])
  expect(await portionOf(31)).toEqual([one, two, three, four])
  expect(await portionOf(31, 3)).toEqual([one, two, three])
})

it('each portion is frozen separately, and its hints move with it', async () => {
  const opened: { partitions: number; rows: number }[] = []
  for (let state = ''; state !== 'moved'; ) {
    const progress = await moveStep(mover(), range, 'DB_1', { portion: { partitions: 256, rows: 7 } })
    state = progress.state
    opened.push(...progress.opened)
  }
  const own = opened.filter(({ rows }) => rows > 0).map(({ partitions, rows }) => ({ partitions, rows }))
  expect(own).toEqual([
    { partitions: 2, rows: 7 },
    { partitions: 1, rows: 20 },
    { partitions: 1, rows: 4 },
  ])
  const left = await everywhere('SELECT 1 FROM share_hints UNION ALL SELECT 1 FROM branch_hints')
  expect(left).toHaveLength(31)
})
