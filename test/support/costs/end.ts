import { homeOf } from '../databases.ts'
import { valuesOf } from '../description.ts'
import { silentQueue, webhook } from '../events.ts'
import { seedSiblings } from '../seed.ts'
import { operator, signUp } from '../user.ts'
import { audited, type Budget, type Measuring } from './measure.ts'
import { FEW, type World } from './world.ts'

/** The same few steps of removing, whatever there is. */
const most: Budget = { trips: 1, rows_read: 20_000, rows_written: 6_000, r2_calls: 0 }

/** Measures the emptying of a trash and the erasure of a user who has much of everything: the last requests about a world. */
export async function measureEnd(costs: Measuring, { ada, bob, count }: World): Promise<void> {
  const { measure, service } = costs
  await measure('empty a trash of many', () => ada.request('DELETE', '/trash'), 204, {
    ...most,
    varies: 'many',
  })
  await measure('list a trash that was emptied', () => ada.get('/trash'), 200, { trips: 1, rows_read: 10 })
  if (count === FEW) await measureSharedTrash(costs)
  const eraser = await operator('users:erase', service)
  // One trip more hides the user in the catalogue, before anything else.
  const erasure: Budget = { ...most, trips: 3, r2_calls: 1, varies: 'many' }
  await measure(
    'erase a user with much of everything',
    () => eraser.request('DELETE', `/users/${ada.id}`),
    202,
    audited(erasure),
  )
  for (const sort of await valuesOf('listFiles', 'sort')) {
    const list = () => ada.get(`/files?sort=${sort}`)
    const { text } = await measure('list the files of an erased user', list, 200, { trips: 2, rows_read: 30 })
    if (!text.startsWith('{"files":[]')) throw new Error(`an erased user has files: ${text}`)
  }
  await ada.folder('new')
  if ((await ada.names()).join() !== 'new') throw new Error('an erased user has no new folder')
  const browse = () => bob.get('/game/public?limit=50')
  const { text } = await measure('browse after the erasure', browse, 200, {
    trips: 1,
    rows_read: 3 * 51 + 10,
    varies: 'always', // by the stops of the catalogue (docs/catalogue.md)
  })
  if (text.includes(ada.id)) throw new Error('an erased user’s assets are listed')
}

/** A trash of files that are shared with many writes at most as much, with events, which are written for the shares. */
async function measureSharedTrash({ measure, differently }: Measuring): Promise<void> {
  const ada = await signUp('ada', differently(webhook, { EVENTS: silentQueue().queue }))
  await seedSiblings(ada.id, null, 2_000)
  const home = homeOf(ada.id)
  await home
    .prepare(
      `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at)
      SELECT files.id || '-' || value, files.id, owner_id, 'friend ' || value, 'view', 1700000000
      FROM files CROSS JOIN json_each(?2) WHERE owner_id = ?1 AND asset_type <> 'folder' AND name < 'name 0100000'`,
    )
    .bind(ada.id, JSON.stringify(Array.from({ length: 100 }, (_, i) => i)))
    .run()
  await home
    .prepare('UPDATE files SET trashed_at = 1700000000000 + created_at WHERE owner_id = ?')
    .bind(ada.id)
    .run()
  await measure('empty a trash of shared files, with events', () => ada.request('DELETE', '/trash'), 204, {
    ...most,
    varies: 'always',
  })
  const events = await home.prepare(`SELECT 1 FROM outbox WHERE type = 'share.revoked'`).all()
  if (events.results.length === 0) throw new Error('no share was revoked')
}
