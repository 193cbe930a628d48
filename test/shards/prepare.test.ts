import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { partitionIn, partitionOf } from '../../src/platform/db/id.ts'
import { prepareStep } from '../../src/platform/shards/mover/prepare.ts'
import { workOf } from '../support/context.ts'
import { databaseOf, everywhere, homeOf } from '../support/databases.ts'
import { settle, usersOf } from '../support/moving.ts'
import { service } from '../support/service.ts'
import { operator } from '../support/user.ts'

interface Row {
  id: string
  owner: string
  other: string
}

it('hints and marks, once, what was shared and branched while there was one database', async () => {
  const users = usersOf(['010', '011', '012'], 5)
  await settle(users)
  await everywhere(`DELETE FROM progress WHERE task = 'moves_prepared'`)
  await everywhere('DELETE FROM share_hints')
  await everywhere('DELETE FROM branch_hints')
  await everywhere('UPDATE usage SET partition = NULL')

  expect(await prepareStep(workOf('operator'), 60)).toEqual({ state: 'settling', seconds_left: 60 })
  const later = { now_ms: Date.now() + 61_000 }
  for (let step = 0; (await prepareStep(workOf('operator', later), 60)).state !== 'prepared'; step++)
    expect(step).toBeLessThan(50)

  const shares = await everywhere<Row>('SELECT id, owner_id AS owner, grantee_id AS other FROM shares')
  expect(shares.length).toBeGreaterThan(0)
  for (const { owner, other } of shares) {
    const hint =
      'SELECT hinted_at FROM share_hints WHERE grantee_partition = ? AND grantee_id = ? AND partition = ?'
    const found = homeOf(other).prepare(hint).bind(partitionOf(other), other, partitionOf(owner))
    expect(await found.first('hinted_at'), `${owner} to ${other}`).not.toBeNull()
  }
  const branches = await everywhere<Row>(
    'SELECT id, id AS owner, branched_from_asset_id AS other FROM game_assets WHERE branched_from_asset_id IS NOT NULL',
  )
  expect(branches.length).toBeGreaterThan(0)
  for (const { id, other } of branches) {
    const hint = 'SELECT hinted_at FROM branch_hints WHERE source_id = ? AND partition = ?'
    const found = databaseOf(other).prepare(hint).bind(other, partitionIn(id))
    expect(await found.first('hinted_at'), `${id} of ${other}`).not.toBeNull()
  }
  const versions = await everywhere<Row>(
    `SELECT id, asset_id AS owner, object_key AS other FROM asset_versions
     WHERE substr(object_key, 21, 3) <> substr(asset_id, 21, 3)`,
  )
  expect(versions.length).toBeGreaterThan(0)
  for (const { owner, other } of versions) {
    expect(await env.BUCKET.head(`refs/${other}/${owner}`), `${owner} of ${other}`).not.toBeNull()
    const waiting = databaseOf(other)
      .prepare('SELECT is_version FROM garbage WHERE object_key = ?')
      .bind(other)
    expect(await waiting.first('is_version'), other).toBe(1)
  }
  const rows = await everywhere<{ user_id: string; partition: string }>(
    'SELECT user_id, partition FROM usage',
  )
  for (const { user_id, partition } of rows) expect(partition, user_id).toBe(partitionOf(user_id))

  await everywhere('DELETE FROM branch_hints')
  expect(await prepareStep(workOf('operator'), 60)).toEqual({ state: 'prepared' })
  expect(await everywhere('SELECT source_id FROM branch_hints')).toEqual([])
})

it('begins for no database that is not bound: the request is refused at once, before anything is written', async () => {
  await everywhere(`DELETE FROM progress WHERE task = 'moves_prepared'`)
  const mover = await operator('shards:move', service)
  const json = { first: '000', last: '0ff', database: 'DB_9', settle_seconds: 60 }
  const answer = await mover.request('POST', '/shards/move', { json })
  expect(answer).toBeProblem(400, 'VALIDATION_FAILED', 'DB_9')
  expect(answer.body).toMatchObject({ errors: [{ in: 'body', path: '/database' }] })
  expect(await everywhere(`SELECT 1 AS one FROM progress WHERE task = 'moves_prepared'`)).toEqual([])
})
