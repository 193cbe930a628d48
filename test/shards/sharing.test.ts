import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { checkShareHints } from '../../src/features/shares/hints.ts'
import { sharedUrl } from '../../src/features/shares/read.ts'
import { leaveSharesOf, revokeShare } from '../../src/features/shares/revoke.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { noMetrics } from '../../src/platform/lib/metrics.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { databasesOf, FIRST } from '../../src/platform/shards/map.ts'
import { file } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { databaseNames, everywhere, homeOf, overEvery } from '../support/databases.ts'
import { share } from '../support/erasing.ts'
import { overridden } from '../support/meter.ts'
import { died, dieEverywhere, dyingAt } from '../support/mortal.ts'
import { mover } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { withSessions } from '../support/outgoing.ts'
import { hintShares, seedSiblings } from '../support/seed.ts'
import {
  again,
  checkHints,
  eraseByJobs,
  expectHints,
  hintsTo,
  leaveHint,
  listed,
  ownersEverywhere,
  sharesWith,
  unlearned,
  userIn,
} from '../support/sharing.ts'

const HOUR_DAYS = 1.02 / 24

it('is listed although SHARDS places its partition in the grantee’s own database, which never had it', async () => {
  const [, name = ''] = databaseNames
  const grantee = userIn(name)
  const { owners } = await ownersEverywhere(grantee)
  for (const { owner, file } of owners) await share(owner, file.id, grantee)
  const ranges = [{ first: '000', last: 'fff', database: name }]
  const bindings = overEvery((database) => overridden(database, {}))
  const databases = new Databases(bindings, { ranges, timeout_ms: 10_000 })
  const caller = contextOf(grantee.user_id, { databases })
  expect(await listed(caller)).toEqual(await sharesWith(grantee))
})

describe('a share', () => {
  it('writes a hint in the grantee’s home first, wherever a Worker dies', async () => {
    const { grantee, owners } = await ownersEverywhere()
    for (const { owner, file } of owners) {
      const deaths = await dieEverywhere(async (dying) => {
        const [grantee_id, partition] = [grantee.user_id, partitionOf(owner.user_id)]
        await everywhere(
          'DELETE FROM share_hints WHERE grantee_id = ? AND partition = ?',
          grantee_id,
          partition,
        )
        await everywhere('DELETE FROM shares WHERE file_id = ?', file.id)
        const killed = await died(share(dying(again(owner)), file.id, grantee))
        await expectHints()
        return killed
      })
      // The calls read the file and the hint, write the hint, and write the share.
      // In one database, hint and share are one batch.
      const isNear = homeOf(owner.user_id) === homeOf(grantee.user_id)
      expect(deaths, 'before the first call, and after each').toBe(isNear ? 2 : 5)
    }
    expect(await listed(grantee)).toEqual(await sharesWith(grantee))
  })

  it('writes no second hint, and refreshes an old one', async () => {
    const { grantee, owners } = await ownersEverywhere()
    const [{ owner, file: first } = expect.fail()] = owners
    const second = await file(owner)
    const hintedAt = async () => {
      const hints = await everywhere<{ hinted_at: number }>(
        'SELECT hinted_at FROM share_hints WHERE grantee_id = ?',
        grantee.user_id,
      )
      return hints.map(({ hinted_at }) => hinted_at - Math.floor(owner.now_ms / 1_000))
    }
    await share(owner, first.id, grantee)
    await share({ ...owner, now_ms: owner.now_ms + 590_000 }, second.id, grantee)
    expect(await hintedAt()).toEqual([0])
    await share({ ...owner, now_ms: owner.now_ms + 610_000 }, first.id, grantee)
    expect(await hintedAt()).toEqual([610])
  })

  it('can be made after an erasure that only the grantee’s home has recorded', async () => {
    const { grantee, owners } = await ownersEverywhere()
    const [one = expect.fail(), other = expect.fail()] = owners.filter(
      ({ owner }) => homeOf(owner.user_id) !== homeOf(grantee.user_id),
    )
    await share(one.owner, one.file.id, grantee)
    // The request is cut off after it has hidden the grantee in the catalogue, and after the note in the bucket and the mark in the
    // home.
    expect(await died(eraseUser(dyingAt(again(grantee), 3, 'after'), grantee.user_id))).toBe(true)
    const before = await listed(grantee)
    const renewed = await share(one.owner, one.file.id, grantee)
    const made = await share(other.owner, other.file.id, grantee)
    expect(before).not.toContain(renewed.id)
    for (const days of [0, 0.01, 0.02]) await eraseByJobs(days)
    expect(await listed(grantee)).toEqual([made.id, renewed.id].sort().toReversed())
  })
})

describe('what is shared with a user', () => {
  it('is one list over all databases, with one cursor, whatever the limit', async () => {
    // This isolate has not learned where the other partitions are.
    const { grantee, owners } = await ownersEverywhere(userIn(databaseNames[1] ?? ''))
    for (let round = 0; round < 4; round++)
      for (const { owner } of owners) await share(owner, (await file(owner)).id, grantee)
    const expected = await sharesWith(grantee)
    expect(expected).toHaveLength(4 * owners.length)
    for (const limit of [1, 2, 3, 4, 5, 11, 12, 13, 50])
      expect(await listed(grantee, limit)).toEqual(expected)
    const stranger = contextOf(grantee.user_id, { databases: unlearned() })
    expect(await listed(stranger, 5)).toEqual(expected)
    const [revoked = '', left = ''] = expected
    const owner = owners.find(({ owner }) => revoked.slice(20, 23) === partitionOf(owner.user_id))?.owner
    await revokeShare(again(owner ?? grantee), revoked)
    await revokeShare(again(grantee), left)
    expect(await listed(grantee, 3)).toEqual(expected.slice(2))
    const [{ owner: third } = expect.fail()] = owners
    await leaveSharesOf(grantee, third.user_id)
    const rest = expected.slice(2).filter((id) => id.slice(20, 23) !== partitionOf(third.user_id))
    expect(await listed(grantee, 3)).toEqual(rest)
  })

  it('costs one trip to the home and one to each hinted database', async () => {
    const { grantee, owners } = await ownersEverywhere()
    for (const { owner, file } of owners) await share(owner, file.id, grantee)
    const trips: string[] = []
    const bound = Object.entries(databasesOf(env))
    const counted = Object.fromEntries(
      bound.map(([name, binding]) => [name, counting(binding, () => trips.push(name))]),
    )
    // The first list learns where the partitions are.
    for (let lists = 0; lists < 2; lists++) {
      trips.length = 0
      await listed(contextOf(grantee.user_id, { databases: databasesOver(counted) }))
    }
    expect(trips.toSorted()).toEqual(databaseNames.toSorted())
  })

  it('stays whole while the owner’s partition is moved, step by step', async () => {
    const { grantee, owners } = await ownersEverywhere()
    for (const { owner, file } of owners) await share(owner, file.id, grantee)
    const expected = await sharesWith(grantee)
    const [moved = expect.fail()] = owners
    const partition = partitionOf(moved.owner.user_id)
    const [shared = ''] = expected.filter((id) => id.slice(20, 23) === partition)
    const home = databaseNames.find(
      (_, place) => place === Number.parseInt(partition, 16) % databaseNames.length,
    )
    const seen = { whole: 0, unavailable: 0, refused: 0 }
    const look = async () => {
      try {
        expect(await listed(again(grantee), 2)).toEqual(expected)
        await sharedUrl(again(grantee), shared)
        seen.whole++
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNAVAILABLE' })
        seen.unavailable++
      }
      const answer = await share(again(moved.owner), moved.file.id, grantee).catch((error: unknown) => error)
      if (answer instanceof Error) {
        expect(answer).toMatchObject({ code: 'UNAVAILABLE' })
        seen.refused++
      } else expect(answer).toMatchObject({ id: shared })
    }
    for (const target of [...databaseNames.filter((name) => name !== home), home ?? ''])
      for (let state = ''; state !== 'moved'; ) {
        ;({ state } = await moveStep(mover(), { first: partition, last: partition }, target, { steps: 1 }))
        expect(state).not.toBe('undone')
        await look()
      }
    // Between the two steps of the handover, no database has the partition.
    expect(seen.unavailable).toBeLessThanOrEqual(databaseNames.length)
    expect(Math.min(seen.whole, seen.refused)).toBeGreaterThan(databaseNames.length)
  }, 120_000)
})

describe('a share that was revoked after its owner’s partition was moved', () => {
  it('is not shown, although its row is still where it was', async () => {
    const [source = '', target = ''] = databaseNames
    const [grantee, owner] = [userIn(source), userIn(source)]
    const partition = partitionOf(owner.user_id)
    const range = { first: partition, last: partition }
    const shares = [await share(owner, (await file(owner)).id, grantee)]
    shares.push(await share(owner, (await file(owner)).id, grantee))
    const [revoked, kept] = shares.map(({ id }) => id)
    while ((await moveStep(mover(), range, target, { steps: 1 })).stage !== 'remove');
    await revokeShare(again(owner), revoked ?? '')
    const row = homeOf(grantee.user_id).prepare('SELECT 1 AS one FROM shares WHERE id = ?').bind(revoked)
    expect(await row.first('one'), 'the mover removes it later').toBe(1)
    for (const databases of [again(grantee).databases, unlearned()])
      expect(await listed(contextOf(grantee.user_id, { databases }))).toEqual([kept])
    while ((await moveStep(mover(), range, target)).state !== 'moved');
    expect(await listed(again(grantee))).toEqual([kept])
    while ((await moveStep(mover(), range, source)).state !== 'moved');
  })
})

/** A database that calls back at each trip. */
function counting(binding: D1Database, count: () => void): D1Database {
  return withSessions(binding, (session) => ({
    batch: (statements: D1PreparedStatement[]) => {
      count()
      return session.batch(statements)
    },
  }))
}

describe('a hint', () => {
  it('stays when a share is made while the job checks the hint', async () => {
    for (const isShared of [true, false]) {
      const { grantee, owners } = await ownersEverywhere()
      for (const { owner, file } of owners)
        if (isShared) await share(owner, file.id, grantee)
        else await leaveHint(owner, grantee)
      const late = { ...grantee, now_ms: grantee.now_ms + 2 * 60 * 60 * 1_000 }
      for (const name of databaseNames) {
        const job = jobIn(HOUR_DAYS, name)
        const db = overridden(job.db, {
          // The job has found no share, and the share is made now.
          write: async (statements: Parameters<typeof job.db.write>[0]) => {
            for (const { owner, file } of owners)
              await share({ ...again(owner), now_ms: late.now_ms }, file.id, grantee)
            return job.db.write(statements)
          },
        })
        await checkShareHints({ ...job, db })
      }
      await expectHints()
      expect(await listed(grantee)).toEqual(await sharesWith(grantee))
      expect(await listed(grantee)).toHaveLength(owners.length)
    }
  })

  it('stays while it leads to a share, and is removed when it leads to none', async () => {
    const { grantee, owners } = await ownersEverywhere()
    const shares = await Promise.all(owners.map(({ owner, file }) => share(owner, file.id, grantee)))
    const [kept = expect.fail()] = owners
    await checkHints(HOUR_DAYS)
    await expectHints()
    expect(await hintsTo(grantee)).toHaveLength(owners.length)
    await everywhere('UPDATE share_hints SET hinted_at = 0')
    // The answer of a database that does not have the partition is ignored.
    for (const name of databaseNames) {
      const databases = unlearned()
      const job = { ...jobIn(0, name), databases, db: databases.whole(name) }
      while ((await checkShareHints(job)) > 0);
    }
    await checkHints(10)
    await expectHints()
    for (const { id } of shares.slice(1)) await revokeShare(again(grantee), id)
    await checkHints(20)
    expect(await hintsTo(grantee), 'relied upon as long as the shares had existed').toHaveLength(
      owners.length,
    )
    await checkHints(20.1)
    expect(await hintsTo(grantee)).toEqual([partitionOf(kept.owner.user_id)])
  })

  it('of a grantee with many shares costs a step few rows, and stays', async () => {
    const [grantee, owner, other] = [userIn(FIRST), userIn(FIRST), userIn(FIRST)]
    await seedSiblings(owner.user_id, null, 4_000)
    const shareAll = `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at)
      SELECT id, id, owner_id, ?1, 'view', 1 FROM files WHERE owner_id = ?2 AND asset_type <> 'folder' LIMIT ?3`
    const metrics = noMetrics()
    const databases = new Databases(databasesOf(env), { timeout_ms: 30_000, metrics })
    const step = async () => {
      await everywhere('DELETE FROM share_hints')
      for (const { user_id } of [owner, other]) await hintShares(user_id, grantee.user_id)
      metrics.rows_read = 0
      expect(await checkShareHints({ ...jobIn(0), databases, db: databases.whole(FIRST) })).toBe(2)
      return hintsTo(grantee)
    }
    await env.DB.prepare(shareAll).bind(grantee.user_id, owner.user_id, 200).run()
    expect(await step()).toEqual([partitionOf(owner.user_id)])
    await env.DB.prepare('DELETE FROM shares').run()
    await env.DB.prepare(shareAll).bind(grantee.user_id, owner.user_id, 3_000).run()
    expect(await step()).toEqual([owner, other].map(({ user_id }) => partitionOf(user_id)).sort())
    expect(metrics.rows_read).toBeLessThan(1_000)
  })

  it('outlives its share by the age of the share, by an hour at least and 30 days at most', async () => {
    for (const [held, left, gone] of [
      [0, 0, HOUR_DAYS],
      [2 / 24, 4 / 24, 5.1 / 24],
      [5, 10, 10.1],
      [90, 120, 120.1],
    ] as const) {
      const { grantee, owners } = await ownersEverywhere()
      const shares = await Promise.all(owners.map(({ owner, file }) => share(owner, file.id, grantee)))
      if (held > 0) await checkHints(held)
      for (const { id } of shares) await revokeShare(again(grantee), id)
      await checkHints(left)
      expect(await hintsTo(grantee), `${held} days`).toHaveLength(owners.length)
      await checkHints(gone)
      expect(await hintsTo(grantee), `${held} days`).toEqual([])
    }
  })
})
