import { env } from 'cloudflare:workers'
import { describe, expect, inject, it } from 'vitest'
import { checkShareHints } from '../../src/features/shares/hints.ts'
import { listSharesOf, sharedUrl } from '../../src/features/shares/read.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { databasesOf } from '../../src/platform/shards/map.ts'
import { file } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, databaseNames, everyDatabase, everywhere, homeOf } from '../support/databases.ts'
import { share } from '../support/erasing.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { died, dieEverywhere, dyingAt } from '../support/mortal.ts'
import { mover } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { chances } from '../support/race.ts'
import {
  again,
  checkHints,
  eraseByJobs,
  expectHints,
  hintsTo,
  listed,
  ownersEverywhere,
  sharesWith,
  userIn,
} from '../support/sharing.ts'

type Scene = Awaited<ReturnType<typeof ownersEverywhere>>

/** A share of each owner with one grantee. */
async function scene() {
  const { grantee, owners } = await ownersEverywhere()
  for (const { owner, file } of owners) await share(owner, file.id, grantee)
  return { grantee, owners, shared: await sharesWith(grantee) }
}

const marksOf = ({ grantee }: Pick<Scene, 'grantee'>) =>
  countOf('erasures WHERE user_id = ?', grantee.user_id)

/** Fails if anybody sees one of these shares. */
async function expectHidden({ grantee, owners }: Scene, shared: string[]): Promise<void> {
  expect((await listed(again(grantee))).filter((id) => shared.includes(id))).toEqual([])
  for (const id of shared)
    await expect(sharedUrl(again(grantee), id)).rejects.toMatchObject({ code: 'SHARE_NOT_FOUND' })
  for (const { owner, file } of owners)
    expect((await listSharesOf(again(owner), file.id)).filter(({ id }) => shared.includes(id))).toEqual([])
}

/** Lets the jobs end the erasure. */
async function finish(): Promise<void> {
  for (const days of [0, 0.01, 0.02, 0.03]) await eraseByJobs(days)
}

describe('erasing a user with whom something is shared in several databases', () => {
  it('hides the shares in every database before it answers, and keeps later shares', async () => {
    const { grantee, owners, shared } = await scene()
    await eraseUser(again(grantee), grantee.user_id)
    await expectHidden({ grantee, owners }, shared)
    const made: string[] = []
    for (const { owner, file } of owners) made.push((await share(again(owner), file.id, grantee)).id)
    const expected = made.sort().toReversed()
    expect(await listed(again(grantee))).toEqual(expected)
    await eraseByJobs(0)
    expect(await listed(again(grantee))).toEqual(expected)
    expect(await marksOf({ grantee }), 'one for each database').toBe(databaseNames.length)
    await finish()
    expect(await listed(again(grantee))).toEqual(expected)
    expect(await sharesWith(grantee)).toEqual(expected)
    expect(await marksOf({ grantee })).toBe(0)
    await expectHints()
  })

  it('frees the file’s share limit at once, because hidden shares no longer count', async () => {
    const { grantee, owners } = await scene()
    const other = contextOf(newUserId())
    const limited = (user_id: string) => contextOf(user_id, {}, { MAX_SHARES_PER_FILE: 1 })
    for (const { owner, file } of owners)
      await expect(share(limited(owner.user_id), file.id, other)).rejects.toMatchObject({
        code: 'LIMIT_REACHED',
      })
    await eraseUser(again(grantee), grantee.user_id)
    for (const { owner, file } of owners) {
      const { id } = await share(limited(owner.user_id), file.id, other)
      expect((await listSharesOf(again(owner), file.id)).map((share) => share.id)).toEqual([id])
    }
  })

  it('leaves no row with the user’s id once the hints are old', async () => {
    const { grantee, owners } = await scene()
    // The job has just confirmed the hints.
    await everywhere(
      'UPDATE share_hints SET hinted_at = hinted_at + 2592000 WHERE grantee_id = ?',
      grantee.user_id,
    )
    await eraseUser(again(grantee), grantee.user_id)
    await finish()
    await checkHints(0.08)
    expect(await hintsTo(grantee)).toEqual([])
    expect([await marksOf({ grantee }), await sharesWith(grantee)]).toEqual([0, []])
    for (const { owner, file } of owners) expect(await listSharesOf(owner, file.id)).toEqual([])
  })

  it('is finished by the jobs when the request is cut off at any call', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const { grantee, owners, shared } = await scene()
      const killed = await died(eraseUser(dying(again(grantee)), grantee.user_id))
      const isMarked = (await marksOf({ grantee })) > 0
      await finish()
      expect(await sharesWith(grantee)).toEqual(isMarked ? [] : shared)
      expect(await marksOf({ grantee })).toBe(0)
      if (isMarked) await expectHidden({ grantee, owners }, shared)
      return killed
    })
    expect(deaths).toBeGreaterThan(1 + databaseNames.length)
  }, 120_000)

  it('can be repeated before it has ended: the second erasure removes shares made in between', async () => {
    const { grantee, owners } = await scene()
    await eraseUser(again(grantee), grantee.user_id)
    for (const { owner, file } of owners) await share(again(owner), file.id, grantee)
    const between = await listed(again(grantee))
    expect(between).toHaveLength(owners.length)
    await eraseByJobs(0)
    await eraseUser(again(grantee), grantee.user_id)
    await expectHidden({ grantee, owners }, between)
    await finish()
    expect([await marksOf({ grantee }), await sharesWith(grantee)]).toEqual([0, []])
  })

  it('keeps a share made after its mark, also when it was cut off before it marked the other databases', async () => {
    for (const age of [0, 7_200]) {
      const { grantee, owners } = await scene()
      // A share writes its grantee's hint anew when that is old.
      const older = 'UPDATE share_hints SET hinted_at = hinted_at - ? WHERE grantee_id = ?'
      await everywhere(older, age, grantee.user_id)
      // The catalogue hides the user, the bucket has the note, and the home has the mark.
      expect(await died(eraseUser(dyingAt(again(grantee), 3, 'after'), grantee.user_id))).toBe(true)
      const made: string[] = []
      for (const { owner, file } of owners) made.push((await share(again(owner), file.id, grantee)).id)
      await finish()
      expect(await listed(again(grantee)), `hints of ${age} s`).toEqual(made.sort().toReversed())
      expect(await marksOf({ grantee })).toBe(0)
    }
  })

  it('waits for a database that does not answer', async () => {
    const { grantee, shared } = await scene()
    // The catalogue hides the user, the bucket has the note, and the home has the mark.
    expect(await died(eraseUser(dyingAt(again(grantee), 3, 'after'), grantee.user_id))).toBe(true)
    const home = databaseNames.find((_, place) => homeOf(grantee.user_id) === everyDatabase[place]) ?? ''
    const silent = Object.fromEntries(
      Object.entries(databasesOf(env))
        .filter(([name]) => name !== home)
        .map(([name, database]) => [
          name,
          overridden(database, { withSession: () => ({ prepare: () => expect.fail('no answer') }) }),
        ]),
    )
    for (const days of [0, 0.01, 0.02]) {
      const databases = databasesOver(silent)
      await eraseByJobs(days, [{ ...jobIn(days, home), databases, db: databases.whole(home) }])
    }
    expect(await marksOf({ grantee })).toBe(1)
    for (const days of [0.03, 0.04, 0.05, 0.06]) await eraseByJobs(days)
    expect([await marksOf({ grantee }), await sharesWith(grantee), shared.length]).toEqual([
      0,
      [],
      databaseNames.length,
    ])
  })

  it('hides the shares at every step of a move of an owner, or fails', {
    tags: 'release',
    timeout: 240_000,
  }, async () => {
    const [home = '', source = '', target = ''] = databaseNames
    let answered = 0
    for (let steps = 1, state = ''; state !== 'moved'; steps++) {
      const [grantee, still] = [userIn(home), userIn(source)]
      const moved = userIn(source, partitionOf(still.user_id))
      const owners = [
        { owner: still, file: await file(still) },
        { owner: moved, file: await file(moved) },
      ]
      for (const { owner, file } of owners) await share(owner, file.id, grantee)
      const shared = await sharesWith(grantee)
      const partition = partitionOf(moved.user_id)
      const range = { first: partition, last: partition }
      ;({ state } = await moveStep(mover(), range, target, { steps }))
      const erased = await eraseUser(again(grantee), grantee.user_id).catch((error: unknown) => error)
      while ((await moveStep(mover(), range, target)).state !== 'moved');
      if (erased === undefined) answered++
      else {
        expect(erased).toMatchObject({ code: 'UNAVAILABLE' })
        await eraseUser(again(grantee), grantee.user_id)
      }
      await expectHidden({ grantee, owners }, shared)
      await finish()
      expect([await marksOf({ grantee }), await sharesWith(grantee)]).toEqual([0, []])
      while ((await moveStep(mover(), range, source)).state !== 'moved');
    }
    expect(answered).toBeGreaterThan(0)
  })
})

/** Enough rounds for both outcomes to occur. */
const ROUNDS = Math.max(12, inject('proof').rounds)

describe('sharing, erasing and the job at the same time', () => {
  it('lose no hint and no share, and leave no row behind', {
    tags: 'release',
    timeout: 240_000,
  }, async () => {
    const came = { stayed: 0, went: 0 }
    await chances({ count: ROUNDS }, async (round) => {
      const { grantee, owners } = await scene()
      const files = await Promise.all(owners.map(({ owner }) => file(owner)))
      const isErased = round.seed % 3 > 0
      // Hints that the job checks now; one of them leads to no share.
      await everywhere('UPDATE share_hints SET hinted_at = hinted_at - 7200')
      const [first = ''] = await sharesWith(grantee)
      await everywhere('DELETE FROM shares WHERE id = ?', first)
      const [erased, ...outcomes] = await round.race<unknown>([
        async () => isErased && eraseUser(again(grantee), grantee.user_id),
        ...owners.map(
          ({ owner }, index) =>
            () =>
              share(again(owner), files[index]?.id ?? '', grantee),
        ),
        ...databaseNames.map((name) => () => checkShareHints(jobIn(0, name))),
        () => listed(again(grantee), 2),
      ])
      expect([erased, ...outcomes].map((outcome) => outcome?.code).filter(Boolean)).toEqual([])
      await expectHints()
      const visible = await listed(again(grantee), 2)
      await finish()
      expect(await listed(again(grantee), 2)).toEqual(visible)
      expect(await sharesWith(grantee), 'what is left can be seen').toEqual(visible)
      expect(await marksOf({ grantee })).toBe(0)
      await expectHints()
      for (const outcome of outcomes.slice(0, owners.length)) {
        const { id } = outcome.answer as { id: string }
        const isThere = visible.includes(id)
        if (!isErased || round.isBefore(erased, outcome)) expect(isThere).toBe(true)
        else if (round.isBefore(outcome, erased)) expect(isThere).toBe(false)
        if (isErased) came[isThere ? 'stayed' : 'went']++
      }
      // Hints without a share are removed, and the others stay.
      await everywhere('UPDATE share_hints SET hinted_at = 0')
      await checkHints(0)
      expect(await hintsTo(grantee)).toEqual([...new Set(visible.map((id) => id.slice(20, 23)))].sort())
    })
    expect(Math.min(came.stayed, came.went)).toBeGreaterThan(0)
  })
})
