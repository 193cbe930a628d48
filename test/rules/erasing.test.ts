import { env } from 'cloudflare:test'
import type { Sql } from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/db/id.ts'
import { createFolder } from '../../src/files/create-folder.ts'
import { branchAsset } from '../../src/game-assets/branch.ts'
import { runJob } from '../../src/maintenance/job.ts'
import { publishNotification } from '../../src/notifications/publish.ts'
import { eraseUser } from '../../src/operators/erase.ts'
import { createShare } from '../../src/shares/create.ts'
import type { Work } from '../../src/work.ts'
import { asset, file, folder, newVersion, there, upload, version } from '../support/acts.ts'
import { expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { died, dieEverywhere } from '../support/mortal.ts'
import { expectRecordsAndObjectsAgree, jobIn, runJobIn } from '../support/objects.ts'
import { race, rounds } from '../support/race.ts'
import { workOf } from '../support/world.ts'

const share = (work: Work, id: string, grantee: Work) =>
  createShare(work, id, { grantee_id: grantee.user_id, permission: 'view' })

const publish = (work: Work) =>
  publishNotification(work, {
    user_id: work.user_id,
    type: 'friend_request',
    data: { from_user_id: 1, from_display_name: 'somebody' },
  })

/** Every table that could still know a user, and how often it does. */
async function leftOf(user_id: string): Promise<unknown> {
  const row = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM files WHERE owner_id = ?1) AS files,
      (SELECT count(*) FROM uploads WHERE owner_id = ?1) AS uploads,
      (SELECT count(*) FROM game_assets WHERE owner_id = ?1) AS assets,
      (SELECT count(*) FROM shares WHERE grantee_id = ?1) AS shares,
      (SELECT count(*) FROM usage WHERE user_id = ?1) AS usage,
      (SELECT count(*) FROM idempotency WHERE caller_id = ?1) AS keys,
      (SELECT count(*) FROM erasures WHERE user_id = ?1) AS erasures`,
  )
    .bind(user_id)
    .first()
  const { total } = await env.INBOX.getByName(user_id).standing()
  return { ...row, total }
}

const nothing = { files: 0, uploads: 0, assets: 0, shares: 0, usage: 0, keys: 0, erasures: 0, total: 0 }

/** Something of everything, of ada's; bob has to do with it. */
async function scene() {
  const [ada, bob] = [workOf(newId()), workOf(newId())]
  const top = await folder(ada, 'top')
  const inside = await file(ada, top.id)
  const source = await asset(ada, 'source', 'public')
  await version(ada, source.id)
  await upload(ada, top.id)
  await newVersion(ada, source.id)
  const theirs = await file(bob)
  await share(bob, theirs.id, ada)
  await publish(ada)
  return { ada, bob, top, inside, source, theirs }
}

describe('erasing a user', () => {
  it('leaves nothing of theirs and all of others’, whatever goes on at the same time', async () => {
    await rounds(async (seed) => {
      const { ada, bob, top, inside, source, theirs } = await scene()
      const kept = await branchAsset(bob, source.id, { name: 'kept' })
      const [, , , , branched] = await race<unknown>(seed, [
        () => eraseUser(ada, ada.user_id),
        () => upload(ada, top.id),
        () => newVersion(ada, source.id),
        () => publish(ada),
        () => branchAsset(bob, source.id, { name: 'late' }),
        () => share(ada, inside.id, bob),
        () => share(bob, theirs.id, ada),
        () => folder(ada, 'late'),
        () => asset(ada, 'late'),
      ])
      await runJob(jobIn(0))
      await runJob(jobIn(0.01))
      await runJob(jobIn(0.01))
      expect(await leftOf(ada.user_id), `seed ${seed}`).toEqual(nothing)
      const branches = await env.DB.prepare('SELECT name FROM game_assets WHERE owner_id = ? ORDER BY name')
        .bind(bob.user_id)
        .all<{ name: string }>()
      expect(branches.results.map(({ name }) => name)).toEqual(branched?.code ? ['kept'] : ['kept', 'late'])
      expect(await env.BUCKET.head(there(kept.version).object_key)).not.toBeNull()
      expect(
        (await env.DB.prepare('SELECT id FROM files WHERE owner_id = ?').bind(bob.user_id).all()).results,
      ).toEqual([{ id: theirs.id }])
      await expectSound(bob.user_id)
    })
    await runJobIn(3)
    await expectRecordsAndObjectsAgree()
  })

  it('is finished by the job when it is cut off anywhere, or by asking again', async () => {
    const deaths = await dieEverywhere(async (dying) => {
      const { ada, bob } = await scene()
      const killed = await died(eraseUser(dying(ada), ada.user_id))
      const isRecorded = await env.DB.prepare('SELECT 1 AS one FROM erasures WHERE user_id = ?')
        .bind(ada.user_id)
        .first()
      if (!isRecorded) await eraseUser(ada, ada.user_id)
      await runJob(jobIn(0))
      await runJob(jobIn(0.01))
      await runJob(jobIn(0.01))
      expect(await leftOf(ada.user_id)).toEqual(nothing)
      await expectSound(bob.user_id)
      return killed
    })
    expect(deaths).toBeGreaterThan(8)
    await runJobIn(3)
    await expectRecordsAndObjectsAgree()
  })

  it('is not kept from any user by one whose inbox does not answer, nor by many who wait', async () => {
    const users = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const work = workOf(newId())
        await folder(work, 'folder')
        await env.DB.prepare('INSERT INTO erasures (user_id, until) VALUES (?, ?)')
          .bind(work.user_id, Math.floor(Date.now() / 1_000) + 60)
          .run()
        return work
      }),
    )
    const sick = there(users[0]).user_id
    const inboxes = overridden(env.INBOX, {
      getByName: (name: string) =>
        name === sick ? { erase: () => Promise.reject(new Error('sick')) } : env.INBOX.getByName(name),
    })
    for (const days of [0, 0.01, 0.02, 0.03]) await runJob({ ...jobIn(days), inboxes })
    for (const { user_id } of users.slice(1)) expect(await leftOf(user_id)).toEqual(nothing)
    expect(await leftOf(sick)).toMatchObject({ files: 0, erasures: 1 })
    await runJob(jobIn(0.04))
    expect(await leftOf(sick)).toEqual(nothing)
  })
})

describe('a retry that is under way while its user is erased', () => {
  it('makes the thing anew, as if it had come afterwards', async () => {
    const ada = workOf(newId())
    const key = {
      caller_id: ada.user_id,
      key: 'a',
      request_hash: 'the same',
      now: Math.floor(ada.now_ms / 1000),
    }
    const input = { name: 'a', asset_type: 'folder' as const, parent_id: null }
    const first = await createFolder(ada, input, key)
    let isErased = false
    const db = overridden(ada.db, {
      // The key is still known; what it made is gone by the time that it is looked for.
      all: async (query: Sql) => {
        const rows = await ada.db.all(query)
        if (query.sql.includes('FROM idempotency') && !isErased) {
          isErased = true
          await eraseUser(ada, ada.user_id)
        }
        return rows
      },
    })
    const again = await createFolder({ ...ada, db }, input, key)
    expect(isErased).toBe(true)
    expect(again.id).not.toBe(first.id)
    expect(again.name).toBe('a')
  })
})
