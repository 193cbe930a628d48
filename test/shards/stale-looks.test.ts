import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import type { Stage } from '../../src/operators/shards/mover/names.ts'
import { waitingAmong } from '../../src/operators/shards/mover/turn.ts'
import { databasesOver } from '../support/context.ts'
import { databaseNames, everyDatabase, overEvery } from '../support/databases.ts'
import { meteredDatabase, overridden } from '../support/meter.ts'
import { everything, moveAll, mover, settle, usersOf } from '../support/moving.ts'
import { withSessions } from '../support/outgoing.ts'

const partition = '4c2'
const range = { first: partition, last: partition }
const [ada = ''] = usersOf([partition], 1)
await settle([ada])
await moveAll(range, 'DB')

async function moveUntil(stage: Stage): Promise<void> {
  for (let steps = 0; steps < 100; steps++)
    if ((await moveStep(mover(), range, 'DB_1', { steps: 1 })).stage === stage) return
  throw new Error(`never at ${stage}`)
}

const stateIn = (database = env.DB) =>
  database.prepare('SELECT state FROM partitions WHERE partition = ?').bind(partition).first<string>('state')

it('reads no replica: each trip of a mover is the first of a session on the primary', async () => {
  let first = 0
  const later: string[] = []
  const watched = overEvery((database) =>
    overridden(database, {
      withSession: (constraint: string) => {
        let trips = 0
        const note = () => {
          trips++
          if (constraint === 'first-primary' && trips === 1) first++
          else later.push(`trip ${trips} of a session from ${constraint}`)
        }
        return meteredDatabase(database, note).withSession(constraint)
      },
    }),
  )
  for (const target of ['DB_1', 'DB']) {
    const ctx = { databases: databasesOver(watched), now_ms: Date.now() }
    expect((await moveStep(ctx, range, target)).state).toBe('moved')
    expect(await waitingAmong(ctx, databaseNames)).toBeUndefined()
  }
  expect(later).toEqual([])
  expect(first).toBeGreaterThan(20)
})

it('does not touch a move that was announced after its read of the target and frozen before its read of the source', async () => {
  const gate = Promise.withResolvers<void>()
  const targetAsked = Promise.withResolvers<void>()
  const at = (database: D1Database, around: <Answer>(act: () => Promise<Answer>) => Promise<Answer>) =>
    withSessions(database, (session) => ({
      batch: (statements: D1PreparedStatement[]) => around(() => session.batch(statements)),
    }))
  const [, target = env.DB, third = env.DB] = everyDatabase
  const slow = mover(undefined, {
    DB: at(env.DB, async (act) => {
      await gate.promise
      return act()
    }),
    DB_1: at(target, async (act) => {
      const answer = await act()
      targetAsked.resolve()
      return answer
    }),
    DB_2: third,
  })
  const before = await everything()
  const second = moveStep(slow, range, 'DB_1', { steps: 1 })
  await targetAsked.promise
  await moveUntil('copy')
  gate.resolve()
  expect((await second).state).toBe('moving')
  expect(await stateIn()).toBe('frozen')
  await moveAll(range, 'DB_1')
  expect(await everything()).toMatchObject({ strays: [], rows: before.rows })
  await moveAll(range, 'DB')
})

it.each(['users', 'copy', 'compare', 'close'] as const)(
  'undoes a move at %s whose source was restored to before the move',
  async (stage) => {
    const before = await everything()
    await moveUntil(stage)
    await env.DB.batch([
      env.DB.prepare('DELETE FROM moves'),
      env.DB.prepare(
        `UPDATE partitions SET state = 'open', moved_to = NULL, has_rows = 0 WHERE partition = ?`,
      ).bind(partition),
    ])
    const progress = await moveStep(mover(), range, 'DB_1', { steps: 100 })
    expect(progress).toMatchObject({ state: 'undone', reason: expect.stringContaining('restored') })
    expect([await stateIn(), await stateIn(everyDatabase[1])]).toEqual(['open', 'gone'])
    expect(await everything()).toEqual(before)
  },
)
