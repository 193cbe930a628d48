import { expect, it } from 'vitest'
import { muteUser, unmuteUser } from '../../src/features/mutes/set.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { contextOf } from '../support/context.ts'
import { databaseNames, everywhere } from '../support/databases.ts'
import { share } from '../support/erasing.ts'
import { newUserIdIn } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { moveAll } from '../support/moving.ts'
import { expectCopied, mutesNaming, publishFrom } from '../support/muting.ts'
import { runJobIn } from '../support/objects.ts'
import { again, listed, ownersEverywhere } from '../support/sharing.ts'

const userIn = (database: string) => contextOf(newUserIdIn(database))

it('leaves the shares of muted owners out, in whichever databases owner and grantee are', async () => {
  for (const name of databaseNames) {
    const { grantee, owners } = await ownersEverywhere(userIn(name))
    const shares = new Map<string, string>()
    for (const { owner, file } of owners) shares.set(owner.user_id, (await share(owner, file.id, grantee)).id)
    const left = new Set(shares.values())
    for (const { owner } of owners) {
      await muteUser(grantee, owner.user_id)
      left.delete(shares.get(owner.user_id) ?? '')
      for (const limit of [1, 50]) expect(new Set(await listed(again(grantee), limit))).toEqual(left)
    }
    for (const { owner } of owners) await unmuteUser(grantee, owner.user_id)
    expect(new Set(await listed(again(grantee)))).toEqual(new Set(shares.values()))
  }
})

it('takes an erased user out of lists in every database', async () => {
  const bob = userIn(FIRST)
  const users = databaseNames.flatMap((name) => [userIn(name), userIn(name)])
  for (const user of users) await muteUser(user, bob.user_id)
  expect(await mutesNaming(bob)).toBe(users.length)
  await eraseUser(bob, bob.user_id)
  await runJobIn(0)
  await runJobIn(0.01)
  expect(await mutesNaming(bob)).toBe(0)
  for (const user of users) expect(await expectCopied(user)).toEqual([])
})

it('moves mutes with their user, whose limit, list and inbox go on', async () => {
  const [, target = ''] = databaseNames
  const ada = userIn(FIRST)
  const bob = userIn(target)
  await muteUser(ada, bob.user_id)
  const partition = partitionOf(ada.user_id)
  await moveAll({ first: partition, last: partition }, target)
  const moved = contextOf(ada.user_id)
  expect(await expectCopied(moved)).toEqual([bob.user_id])
  const counts = await everywhere<{ mutes: number }>('SELECT mutes FROM usage WHERE user_id = ?', ada.user_id)
  expect(counts).toEqual([{ mutes: 1 }])
  await expect(publishFrom(bob, moved)).rejects.toMatchObject({ code: 'MUTED_BY_USER' })
  await muteUser(moved, 'eve')
  expect(await expectCopied(moved)).toEqual([bob.user_id, 'eve'].sort())
  await unmuteUser(moved, bob.user_id)
  expect(await expectCopied(moved)).toEqual(['eve'])
  await expectSound(ada.user_id)
})
