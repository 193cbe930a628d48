import { expect, it } from 'vitest'
import { partitionOf, rowidOf } from '../../src/platform/db/id.ts'
import { signUpCreator } from '../support/creator.ts'
import { homeOf } from '../support/databases.ts'
import { moveAll, settle, usersOf } from '../support/moving.ts'
import { runJobIn } from '../support/objects.ts'

/** Inserts an asset whose id has the same first 60 bits as those of the others. Returns its name. */
async function twin(user_id: string, name: string, time: string): Promise<string> {
  const id = `${time}-7abc-9${partitionOf(user_id)}-000000000001`
  const home = homeOf(user_id)
  await home.batch([
    home
      .prepare(
        `INSERT INTO game_assets (number, id, owner_id, type, name, search_name, visibility, created_at, updated_at)
        VALUES (CAST(?1 AS INTEGER), ?2, ?3, 'world', ?4, ?4, 'public', 1700000000, 1700000000)`,
      )
      .bind(rowidOf(id), id, user_id, name),
    home
      .prepare(
        `INSERT INTO asset_versions VALUES (?1, 1, ?1, 5, 'text/plain', ?1, NULL, NULL, 1700000000, NULL, NULL)`,
      )
      .bind(id),
  ])
  return name
}

/** Two partitions of DB that share the number of a partition of DB_1, and of another one. */
const [arriving, next, present, above] = ['3a5', '402', '3a6', '403']
const users = [arriving, next, present, above].map((partition) => usersOf([partition ?? ''], 1)[0] ?? '')
await settle(users)
const [ada = '', bob = '', cem = '', dan = ''] = users
const reader = await signUpCreator('reader')

it.each([
  ['above', ada, cem, '018bcfe5-6801', '3a5', 'DB_1'],
  ['below', cem, ada, '018bcfe5-6802', '3a6', 'DB'],
])(
  'moves an asset whose number is taken in the target, and no page of a search misses one: %s',
  async (which, mover, stays, time, partition, target) => {
    const names = [await twin(mover, `${which} one`, time), await twin(stays, `${which} two`, time)]
    await runJobIn(0)
    await moveAll({ first: partition, last: partition }, target)
    for (const limit of [1, 2, 50])
      expect((await reader.assetNames(`/public?q=${which}`, limit)).sort(), `pages of ${limit}`).toEqual(
        names,
      )
    expect((await reader.assetNames(`/public?q=${which}`, 1)).length).toBe(2)
    await moveAll({ first: partition, last: partition }, target === 'DB' ? 'DB_1' : 'DB')
  },
)

it('moves several assets with one number, and gives each another', async () => {
  const names: string[] = []
  for (const [user, name] of [
    [ada, 'quad a'],
    [bob, 'quad b'],
    [cem, 'quad c'],
    [dan, 'quad d'],
  ] as const)
    names.push(await twin(user, name, '018bcfe5-6803'))
  await runJobIn(0)
  await moveAll({ first: '3a5', last: '402' }, 'DB_1')
  expect((await reader.assetNames('/public?q=quad', 50)).sort()).toEqual(names)
})
