import { describe, expect, it } from 'vitest'
import { createShare } from '../../src/features/shares/create.ts'
import { listSharedWith, listSharesOf, sharedUrl } from '../../src/features/shares/read.ts'
import { file } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { runJobIn } from '../support/objects.ts'

describe('a share that expires at T', () => {
  const now = Math.floor(Date.now() / 1_000)
  const at = (user_id: string, second: number, milliseconds = 0) =>
    contextOf(user_id, { now_ms: second * 1_000 + milliseconds })
  const scene = async (expires_at: number) => {
    const [ada, bob] = [newUserId(), newUserId()]
    const { id } = await file(contextOf(ada))
    const share = await createShare(at(ada, now), id, { grantee_id: bob, permission: 'view', expires_at })
    const listed = async (second: number) =>
      (await listSharedWith(at(bob, second), { limit: 50 })).rows.map(({ id }) => id)
    return { bob, share, listed }
  }

  it('gives access at T − 1, and none at T and T + 1', async () => {
    const T = now + 100
    const { bob, share, listed } = await scene(T)
    expect((await sharedUrl(at(bob, T - 1, 999), share.id)).expires_at).toBe(T)
    for (const second of [T, T + 1])
      await expect(sharedUrl(at(bob, second), share.id)).rejects.toThrow('SHARE_ACCESS_DENIED')
    expect(await listed(T - 1)).toEqual([share.id])
    expect([...(await listed(T)), ...(await listed(T + 1))]).toEqual([])
  })

  it('gives URLs that end with it, or after DOWNLOAD_URL_TTL if that is earlier', async () => {
    const T = now + 2_000
    const { bob, share } = await scene(T)
    for (const [second, ends] of [
      [now, now + 900],
      [T - 901, T - 1],
      [T - 900, T],
      [T - 899, T],
      [T - 1, T],
    ] as const) {
      const { url, expires_at } = await sharedUrl(at(bob, second), share.id)
      expect(expires_at, `at T − ${T - second}`).toBe(ends)
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe(String(ends - second))
    }
  })

  it('can last one second, and no less', async () => {
    const { bob, share } = await scene(now + 1)
    expect((await sharedUrl(at(bob, now), share.id)).expires_at).toBe(now + 1)
    await expect(scene(now)).rejects.toThrow('VALIDATION_FAILED')
  })

  it('doesn’t count towards MAX_SHARES_PER_FILE, whether the job has run or not', async () => {
    const [ada, T] = [newUserId(), now + 100]
    const limited = (second: number) => contextOf(ada, { now_ms: second * 1_000 }, { MAX_SHARES_PER_FILE: 2 })
    const { id } = await file(contextOf(ada))
    const shareWith = (grantee_id: string, second: number, expires_at: number | null = T) =>
      createShare(limited(second), id, { grantee_id, permission: 'view', expires_at })
    const [one] = [await shareWith('one', now), await shareWith('two', now)]
    await expect(shareWith('three', T - 1)).rejects.toThrow('LIMIT_REACHED')
    await shareWith('three', T, null)
    const again = await shareWith('one', T, null)
    expect(again.id).toBe(one.id)
    for (const grantee of ['two', 'four'])
      await expect(shareWith(grantee, T, null)).rejects.toThrow('LIMIT_REACHED')
    expect((await listSharesOf(limited(T), id)).map(({ grantee_id }) => grantee_id)).toEqual([
      'one',
      'two',
      'three',
    ])
  })

  it('stays in its owner’s list for 30 days, and is removed by the job then', async () => {
    const [ada, grantee_id] = [newUserId(), newUserId()]
    const { id } = await file(contextOf(ada))
    await createShare(at(ada, now), id, { grantee_id, permission: 'view', expires_at: now + 1 })
    const left = async () => (await listSharesOf(at(ada, now), id)).length
    await runJobIn(29.9)
    expect(await left()).toBe(1)
    await runJobIn(30.1)
    expect(await left()).toBe(0)
    // Also by a run that is the first to see it, because the job was off.
    await createShare(at(ada, now), id, { grantee_id, permission: 'view', expires_at: now + 1 })
    await runJobIn(30.2)
    expect(await left()).toBe(0)
  })

  it('is kept for its owner’s list beside 500 others at most, the longest expired going first', async () => {
    const ada = newUserId()
    const { id } = await file(contextOf(ada))
    await databaseOf(id)
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
      INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
      SELECT printf('%s share %d', ?1, i), ?1, ?2, 'grantee ' || i, 'view', i, 1 FROM n`,
      )
      .bind(id, ada)
      .run()
    await databaseOf(id).prepare('UPDATE shares SET expired = 1 WHERE file_id = ?').bind(id).run()
    await createShare(at(ada, now), id, { grantee_id: 'bob', permission: 'view' })
    const shares = await listSharesOf(at(ada, now), id)
    expect(shares).toHaveLength(501)
    expect(Math.min(...shares.map(({ expires_at }) => expires_at ?? Infinity))).toBe(201)
  })
})
