import { expect, it } from 'vitest'
import { type Report, runJob } from '../../src/janitor/run.ts'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { unavailable } from '../../src/platform/errors.ts'
import { everywhere, isMoving } from '../support/databases.ts'
import { overridden } from '../support/meter.ts'
import { endMoves, moveAll, mover, settle, usersOf } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { Gate } from './content/gates.ts'

const MINUTE = 60_000
const range = { first: '5a0', last: '5a9' }
await settle(usersOf(['5a0', '5a1', '5a2', '5a3', '5a4'], 6))
await moveAll(range, 'DB')
// A job of an earlier file may have waited, and gets its turn first.
await everywhere(`DELETE FROM progress WHERE task IN ('job_waits', 'job_turn')`)
const start = Date.now()

const jobAt = (name: string, minutes: number) =>
  runJob({ ...jobIn(0, name), now_ms: start + minutes * MINUTE })
/** The mover, one partition at a time. */
const moveAt = (minutes: number, steps?: number) =>
  moveStep({ ...mover(), now_ms: start + minutes * MINUTE }, range, 'DB_1', {
    portion: { partitions: 1, rows: 1 },
    ...(steps !== undefined && { steps }),
  })

/**
 * Takes some steps of the mover, and then more until a partition is on its way: steps may end between two portions. A busy
 * machine takes fewer in one call.
 */
async function moveInto(minutes: number, steps: number) {
  let { state } = await moveAt(minutes, steps)
  while (state === 'moving' && !(await isOnItsWay())) ({ state } = await moveAt(minutes, 1))
  return state
}

/** Whether both databases of the move have a partition that is on its way. */
async function isOnItsWay(): Promise<boolean> {
  const rows = await everywhere(
    `SELECT 1 FROM partitions WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1) LIMIT 1`,
  )
  return rows.length === 2
}

it('runs between two portions after it has waited for five minutes, and the move continues afterwards', async () => {
  await moveInto(0, 3)
  for (const name of ['DB', 'DB_1']) expect((await jobAt(name, 0)).waits_for_move, name).toBe(true)
  expect((await jobAt('DB_2', 0)).waits_for_move).toBeUndefined()
  expect(await moveInto(4, 20)).toBe('moving')
  // The job is woken again and again, and has waited since the first time.
  expect((await jobAt('DB', 4)).waits_for_move).toBe(true)
  expect(await isMoving()).toBe(true)

  expect(await moveAt(5)).toMatchObject({ state: 'waiting', job_of: 'DB' })
  expect(await isMoving()).toBe(false)
  expect((await jobAt('DB', 5)).waits_for_move).toBeUndefined()
  expect(await moveAt(5)).toMatchObject({ state: 'waiting', job_of: 'DB_1' })
  expect((await jobAt('DB_1', 5)).waits_for_move).toBeUndefined()

  expect((await moveAt(5, 20)).state).toBe('moving')
  await endMoves()
})

it('does not stop the move when it does not run', async () => {
  await moveAll(range, 'DB')
  await moveInto(10, 3)
  expect((await jobAt('DB', 10)).waits_for_move).toBe(true)
  expect((await moveAt(16)).state).toBe('waiting')
  expect(['moving', 'moved']).toContain((await moveAt(18)).state)
  await endMoves()
  await moveAll(range, 'DB_1')
  expect((await jobAt('DB', 19)).waits_for_move).toBeUndefined()
})

it('runs also after a portion that took longer than the mover waits, and waits again when it missed its turn', async () => {
  await moveAll(range, 'DB')
  await moveInto(20, 3)
  expect((await jobAt('DB', 20)).waits_for_move).toBe(true)
  // The portion ends ten minutes later.
  await endMoves()
  expect((await moveAt(30)).state).toBe('waiting')
  expect((await moveAt(31)).state).toBe('waiting')
  expect((await moveAt(32, 3)).state).toBe('moving')
  expect((await jobAt('DB', 33)).waits_for_move).toBe(true)
  await endMoves()
  expect((await moveAt(37, 3)).state).toBe('moving')
  await endMoves()
  expect((await moveAt(38)).state).toBe('waiting')
  expect((await jobAt('DB', 38)).waits_for_move).toBeUndefined()
  await moveAll(range, 'DB_1')
})

it('waits again after a move has cut its run off', async () => {
  await moveAll(range, 'DB')
  await moveInto(40, 3)
  expect((await jobAt('DB', 40)).waits_for_move).toBe(true)
  await endMoves()
  const gate = new Gate(6)
  let report: Report | undefined
  const goOn = await gate.begin(async () => {
    report = await runJob(gate.through({ ...jobIn(0, 'DB'), now_ms: start + 44 * MINUTE }))
  })
  expect((await moveAt(44, 3)).state).toBe('moving')
  await goOn()
  expect(report?.waits_for_move).toBe(true)
  await endMoves()
  expect((await moveAt(45, 3)).state).toBe('moving')
  await endMoves()
  expect((await moveAt(49)).state).toBe('waiting')
  expect((await jobAt('DB', 49)).waits_for_move).toBeUndefined()
  await moveAll(range, 'DB_1')
})

it('fails without any task when it can’t find out whether partitions move', async () => {
  const job = jobIn(0, 'DB')
  let reads = 0
  const read = (...args: Parameters<typeof job.db.read>) =>
    ++reads === 2 ? Promise.reject(unavailable('no answer')) : job.db.read(...args)
  const report = await runJob({ ...job, db: overridden(job.db, { read }) })
  expect(report).toMatchObject({ failed: ['moves_known'] })
  expect(reads, 'whether all is bound, what moves, and that once more').toBe(3)
})
