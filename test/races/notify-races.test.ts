import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { notifyGrantees } from '../../src/features/shares/notify.ts'
import { listSharedWith } from '../../src/features/shares/read.ts'
import { leaveSharesOf, revokeShare } from '../../src/features/shares/revoke.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { file } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseNames } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { everything } from '../support/inbox.ts'
import { jobIn } from '../support/objects.ts'
import { race, rounds } from '../support/race.ts'

const ON = { NOTIFY_SHARES: 'on' } as const
const page = { limit: 50, cursor: undefined }

/** Jobs of every database, to which every share of the tests is due. */
const jobs = () => Promise.all(databaseNames.map((name) => notifyGrantees(jobIn(2 / (24 * 60), name, ON))))

/** The rivals of a share that is made meanwhile. */
const rivals: Record<
  string,
  (ada: RequestContext, bob: RequestContext, item: { id: string }) => Promise<unknown>
> = {
  revoke: async (ada, bob) => {
    const [share] = (await listSharedWith(contextOf(bob.user_id), page)).rows
    if (share) await revokeShare(ada, share.id)
  },
  leave: (ada, bob) => leaveSharesOf(contextOf(bob.user_id), ada.user_id),
  trash: (ada, _, item) => deleteFile(contextOf(ada.user_id), item.id),
  'erase the owner': (ada) => eraseUser(contextOf(newUserId()), ada.user_id),
  'erase the grantee': (_, bob) => eraseUser(contextOf(newUserId()), bob.user_id),
  'share again': (ada, bob, item) =>
    createShare(contextOf(ada.user_id, {}, ON), item.id, { grantee_id: bob.user_id, permission: 'edit' }),
}

describe('the notification of a new share', () => {
  it.each(Object.entries(rivals))(
    'comes at most once, and once if the share stays, against %s and the job',
    async (_, rival) => {
      let told = 0
      let untold = 0
      await rounds(async (seed) => {
        const later: Promise<void>[] = []
        const bob = contextOf(newUserId())
        const ada: RequestContext = contextOf(
          newUserId(),
          { afterwards: (work) => void later.push(work(contextOf(ada.user_id, {}, ON))) },
          ON,
        )
        const item = await file(ada)
        await race<unknown>(seed, [
          () => createShare(ada, item.id, { grantee_id: bob.user_id, permission: 'view' }),
          () => rival(ada, bob, item),
          jobs,
        ])
        await Promise.all(later)
        await jobs()
        const { notifications } = await env.INBOX.getByName(bob.user_id).list(everything)
        const { rows } = await listSharedWith(contextOf(bob.user_id), page)
        expect(notifications.length, `seed ${seed}`).toBeLessThanOrEqual(1)
        const readable = rows.filter(({ in_trash }) => in_trash === 0)
        if (readable.length > 0) expect(notifications, `seed ${seed}`).toHaveLength(1)
        if (notifications.length > 0) told++
        else untold++
        expect(await countOf('shares_to_notify')).toBe(0)
      })
      console.log(`told ${told}, untold ${untold}`)
    },
  )
})
