import { describe, expect, it } from 'vitest'
import { newId } from '../../src/db/id.ts'
import { createShare } from '../../src/shares/create.ts'
import { listSharedWith, sharedUrl } from '../../src/shares/read.ts'
import { file } from '../support/acts.ts'
import { workOf } from '../support/world.ts'

describe('a share that expires at T', () => {
  const now = Math.floor(Date.now() / 1_000)
  const at = (user_id: string, second: number, milliseconds = 0) =>
    workOf(user_id, { now_ms: second * 1_000 + milliseconds })
  const scene = async (expires_at: number) => {
    const [ada, bob] = [newId(), newId()]
    const { id } = await file(workOf(ada))
    const share = await createShare(at(ada, now), id, { grantee_id: bob, permission: 'view', expires_at })
    const listed = async (second: number) =>
      (await listSharedWith(at(bob, second), { limit: 50 })).shares.map(({ id }) => id)
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

  it('can be made to last one second, and no less', async () => {
    const { bob, share } = await scene(now + 1)
    expect((await sharedUrl(at(bob, now), share.id)).expires_at).toBe(now + 1)
    await expect(scene(now)).rejects.toThrow('VALIDATION_FAILED')
  })
})
