import { expect, inject, it } from 'vitest'
import { listFavorites } from '../../src/features/favorites/list.ts'
import { deleteFavorite, setFavorite } from '../../src/features/favorites/set.ts'
import { runJob } from '../../src/janitor/run.ts'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { partitionIn, partitionOf } from '../../src/platform/db/id.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { asset } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { Creator } from '../support/creator.ts'
import { databaseNames, everywhere, overEvery, placeOf } from '../support/databases.ts'
import { dueRecounts, favoritesOf, makeDue, recount, usersWith } from '../support/favorites.ts'
import { tokenFor } from '../support/identities.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { meter } from '../support/meter.ts'
import { everything, moveAll, mover, undoAll } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { withSessions } from '../support/outgoing.ts'
import { chances } from '../support/race.ts'

const { brief, rounds: most } = inject('proof')
const [, SECOND = '', THIRD = ''] = databaseNames

const userIn = (database: string) => contextOf(newUserIdIn(database))
const only = (partition: string) => ({ first: partition, last: partition })

/** The number of favorites that an asset shows, wherever it is. */
async function shown(asset_id: string): Promise<number | undefined> {
  const rows = await everywhere<{ favorites: number }>(
    'SELECT favorites FROM game_assets WHERE id = ?',
    asset_id,
  )
  return rows[0]?.favorites
}

/** A public asset of a user of the first database, and a user of each database who has it among the favorites. */
async function scene() {
  const ada = userIn(FIRST)
  const { id } = await asset(ada, 'castle', 'public')
  const fans = databaseNames.map(userIn)
  for (const fan of fans) await setFavorite(fan, id)
  return { ada, id, fans }
}

async function expectCounted(asset_id: string, users: number): Promise<void> {
  await makeDue()
  await recount()
  expect([await shown(asset_id), await usersWith(asset_id), await dueRecounts()]).toEqual([users, users, []])
}

it('adds up the users of all databases, whichever job counts', async () => {
  const { ada, id, fans } = await scene()
  for (const name of databaseNames.toReversed()) {
    await runJob(jobIn(1, name))
    expect(await shown(id)).toBe(fans.length)
  }
  for (const [index, fan] of fans.entries()) {
    await deleteFavorite(fan, id)
    await expectCounted(id, fans.length - index - 1)
  }
  await expectSound(ada.user_id, ...fans.map(({ user_id }) => user_id))
})

it('costs one trip for an asset of the same database and two for another, and a page one more for each database', async () => {
  const { service, of } = meter()
  const ids: string[] = []
  for (const name of databaseNames) ids.push((await asset(userIn(name), 'castle', 'public')).id)
  const user_id = newUserIdIn(SECOND)
  const bob = new Creator(user_id, await tokenFor(user_id), service)
  for (const [index, id] of ids.entries())
    expect((await of(() => bob.favor(id))).trips).toBe(databaseNames[index] === SECOND ? 1 : 2)
  expect((await of(() => bob.assets('/favorites'))).trips).toBe(1 + databaseNames.length)
  expect((await of(() => bob.assets('/favorites?limit=1'))).trips).toBe(2)
  for (const id of ids) expect((await of(() => bob.unfavor(id))).trips).toBe(1)
})

it('waits with counting while a partition moves, and counts each user once when it has moved', async () => {
  const { ada, id, fans } = await scene()
  const [, fan] = fans
  if (!fan) throw new Error('nobody')
  await expectCounted(id, fans.length)
  const partition = partitionOf(fan.user_id)
  const other = userIn(THIRD)
  await setFavorite(other, id)
  for (let step = 0, isMoved = false; !isMoved; step++) {
    expect(step, 'the move ends').toBeLessThan(60)
    const { state } = await moveStep(mover(), only(partition), FIRST, { steps: 1 })
    isMoved = state === 'moved'
    await makeDue()
    const { failed, next_at } = await runJob(jobIn(0, THIRD))
    expect(failed).toBeUndefined()
    const count = await shown(id)
    expect([fans.length, fans.length + 1], `step ${step}`).toContain(count)
    if (count === fans.length && !isMoved)
      expect(next_at, `step ${step}`).toBeGreaterThan(Date.now() / 1_000 + 30)
  }
  await expectCounted(id, fans.length + 1)
  expect((await everything()).strays).toEqual([])
  expect(await favoritesOf(fan)).toEqual([id])
  const moved = contextOf(fan.user_id)
  expect((await listFavorites(moved, { limit: 1 })).rows).toMatchObject([{ id }])
  await deleteFavorite(moved, id)
  await expectCounted(id, fans.length)
  await expectSound(ada.user_id, ...[...fans, other].map(({ user_id }) => user_id))
})

it('keeps the favorites of an asset that no database was seen to have, because its partition moved between two reads', async () => {
  const { id, fans } = await scene()
  await expectCounted(id, fans.length)
  await makeDue()
  for (const fan of fans) await deleteFavorite(fan, id)
  for (const fan of fans) await setFavorite(fan, id)
  let hidden = 0
  const databases = databasesOver(
    overEvery((database) =>
      withSessions(database, (session) => {
        let isFirst = false
        return {
          prepare: (text: string) => {
            isFirst ||= text.startsWith('SELECT id, recounts FROM game_assets')
            return session.prepare(text)
          },
          batch: async <Row>(statements: D1PreparedStatement[]) => {
            const answers = await session.batch<Row>(statements)
            if (!isFirst) return answers
            isFirst = false
            hidden++
            return answers.map((answer, index) => (index === 0 ? { ...answer, results: [] } : answer))
          },
        }
      }),
    ),
  )
  const { failed, next_at } = await runJob({ ...jobIn(1), databases, db: databases.whole(FIRST) })
  expect([failed, hidden]).toEqual([undefined, databaseNames.length])
  expect(next_at).toBeDefined()
  expect(await usersWith(id)).toBe(fans.length)
  await expectCounted(id, fans.length)
})

it('counts right after a move that was taken back, and after one of the asset', async () => {
  const { ada, id, fans } = await scene()
  const fan = fans[2] ?? ada
  await moveStep(mover(), only(partitionOf(fan.user_id)), FIRST, { steps: 6 })
  await undoAll()
  await expectCounted(id, fans.length)
  await moveAll(only(partitionIn(id)), SECOND)
  expect(await shown(id)).toBe(fans.length)
  await deleteFavorite(contextOf(fan.user_id), id)
  await expectCounted(id, fans.length - 1)
  await expectSound(ada.user_id, ...fans.map(({ user_id }) => user_id))
})

it('keeps the favorites that were added while the user moved, and their number', {
  tags: 'release',
  timeout: 120_000,
}, async () => {
  const seen = { added: 0, moving: 0 }
  await chances({ count: brief ? 4 : Math.min(20, Math.max(6, most)) }, async (round) => {
    const ada = contextOf(newUserId())
    const bob = contextOf(newUserId())
    const ids: string[] = []
    for (let number = 0; number < 4; number++) ids.push((await asset(ada, `${number}`, 'public')).id)
    // In odd rounds the owner of the assets moves.
    const { user_id } = round.seed % 2 === 0 ? bob : ada
    const target = databaseNames[(placeOf(user_id) + 1) % databaseNames.length] ?? FIRST
    const done = new Set<string>()
    const [moved, added, counted] = await round.race<unknown>([
      () => moveAll(only(partitionOf(user_id)), target),
      async () => {
        for (const id of ids)
          await change(
            () => setFavorite(contextOf(bob.user_id), id),
            () => done.add(id),
          )
        const [first = ''] = ids
        await change(
          () => deleteFavorite(contextOf(bob.user_id), first),
          () => done.delete(first),
        )
      },
      async () => {
        await makeDue()
        await recount(1)
      },
    ])
    expect([moved?.code, added?.code, counted?.code]).toEqual([undefined, undefined, undefined])
    expect(new Set(await favoritesOf(bob))).toEqual(done)
    for (const id of ids) await expectCounted(id, done.has(id) ? 1 : 0)
    await expectSound(ada.user_id, bob.user_id)
  })
  expect(seen.added, JSON.stringify(seen)).toBeGreaterThan(0)

  async function change(act: () => Promise<void>, note: () => void): Promise<void> {
    try {
      await act()
      note()
      seen.added++
    } catch (error) {
      expect(error).toMatchObject({ code: 'UNAVAILABLE' })
      seen.moving++
    }
  }
})
