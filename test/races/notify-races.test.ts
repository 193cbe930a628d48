import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { readInbox } from '../../src/features/notifications/read-inbox.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { notifyGrantees } from '../../src/features/shares/notify.ts'
import { listSharedWith } from '../../src/features/shares/read.ts'
import { leaveSharesOf, revokeShare } from '../../src/features/shares/revoke.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockFile } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { file } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { countOf, databaseNames } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { everything } from '../support/inbox.ts'
import { jobIn } from '../support/objects.ts'
import { rounds } from '../support/race.ts'

const ON = { NOTIFY_SHARES: 'on' } as const
const page = { limit: 50, cursor: undefined }

/** Jobs of every database, to which every share of the tests is due. */
const jobs = () => Promise.all(databaseNames.map((name) => notifyGrantees(jobIn(2 / (24 * 60), name, ON))))

/** Ada's share of an item with Bob. */
interface Shared {
  ada: RequestContext
  bob: RequestContext
  item: { id: string }
  share: { id: string }
}

const shareAgain = ({ ada, bob, item }: Shared, permission: 'view' | 'edit') =>
  createShare(ada, item.id, { grantee_id: bob.user_id, permission })

/** What comes meanwhile. */
const rivals: Record<string, (shared: Shared) => Promise<unknown>> = {
  'being revoked': ({ ada, share }) => revokeShare(ada, share.id),
  'being left': ({ ada, bob }) => leaveSharesOf(bob, ada.user_id),
  'the deletion of the file': ({ ada, item }) => deleteFile(ada, item.id),
  'a block of the file': ({ ada, item }) => blockFile(ada, item.id),
  'the erasure of the owner': ({ ada }) => eraseUser(contextOf(newUserId()), ada.user_id),
  'the erasure of the grantee': ({ bob }) => eraseUser(contextOf(newUserId()), bob.user_id),
  'a change': (shared) => shareAgain(shared, 'edit'),
  'being made again': async (shared) => {
    await revokeShare(shared.ada, shared.share.id)
    await shareAgain(shared, 'view')
  },
}

/** Rivals that leave no doubt: there is a share afterwards, or the inbox has gone, too. */
const certain = ['a change', 'being made again', 'the erasure of the grantee']

describe('the notification of a new share', () => {
  it.each(Object.entries(rivals))(
    'comes at most once, and once if the share stays, against %s, and by the request and the job',
    async (name, rival) => {
      await rounds(async (round) => {
        const works: (() => Promise<void>)[] = []
        const bob = contextOf(newUserId(), {}, ON)
        await readInbox(bob, async (inbox, look) => inbox.counts(look))
        const afterwards: RequestContext['afterwards'] = (work) => works.push(() => work(ada))
        const ada: RequestContext = contextOf(newUserId(), { afterwards }, ON)
        const item = await file(ada)
        const share = await createShare(ada, item.id, { grantee_id: bob.user_id, permission: 'view' })
        expect(works).toHaveLength(1)
        const shared = {
          ada: contextOf(ada.user_id, { afterwards }, ON),
          bob: contextOf(bob.user_id),
          item,
          share,
        }
        await round.race<unknown>([() => rival(shared), async () => works[0]?.(), jobs])
        await Promise.all(works.slice(1).map((work) => work()))
        await jobs()
        const { notifications } = await env.INBOX.getByName(bob.user_id).list(everything)
        const { rows } = await listSharedWith(contextOf(bob.user_id), page)
        expect(notifications.length).toBeLessThanOrEqual(1)
        if (!certain.includes(name)) round.fork('it comes', notifications.length > 0)
        if (rows.some(({ in_trash }) => in_trash === 0)) expect(notifications).toHaveLength(1)
        expect(await countOf('shares_to_notify')).toBe(0)
      })
    },
  )
})
