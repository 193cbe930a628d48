import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { runJob } from '../../src/janitor/run.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { moveStep } from '../../src/platform/shards/mover/move.ts'
import { prepareStep } from '../../src/platform/shards/mover/prepare.ts'
import { workOf } from '../support/context.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { everywhere, homeOf } from '../support/databases.ts'
import { moveAll, mover } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { service, serviceOver } from '../support/service.ts'

/** A Worker with the first database only: from before the others were bound, or while they are not. */
const alone = serviceOver({ DB: env.DB })

/** A creator whose home is the first database. */
async function inTheFirst(name: string): Promise<Creator> {
  for (;;) {
    const creator = await signUpCreator(name, alone)
    if (homeOf(creator.id) === env.DB) return creator
  }
}

const [ada, bob] = [await inTheFirst('ada'), await inTheFirst('bob')]
const file = await ada.file('file', 'content')
const source = await ada.asset('source', { visibility: 'public' }, 'castle')
const range = { first: partitionOf(ada.id), last: partitionOf(ada.id) }
const isPrepared = () =>
  env.DB.prepare(`SELECT task FROM progress WHERE task = 'moves_prepared'`).first('task')

it('neither shares nor branches while partitions are elsewhere, where hints and markers would be missing', async () => {
  expect(await ada.createShare(file, { grantee_id: bob.id, permission: 'view' })).toBeProblem(
    503,
    'UNAVAILABLE',
  )
  expect(await bob.branch(source, { name: 'branch' })).toBeProblem(503, 'UNAVAILABLE')
  expect(await ada.restoreAsset(source)).toBeProblem(503, 'UNAVAILABLE')
  expect((await ada.folder()).name).toBe('folder')
  expect(await isPrepared()).not.toBeNull()
})

it('runs no job while partitions are in a database that is not bound: it would see no markers', async () => {
  const databases = new Databases({ DB: env.DB }, { timeout_ms: 30_000 })
  const report = await runJob({ ...jobIn(0), databases, db: databases.first() })
  expect(report).toEqual({ failed: ['databases_bound'], queries: 1, calls: 0 })
})

it('has what it shared and branched prepared anew before the first partition moves', async () => {
  // As when everything has been moved back, or nothing has ever been moved.
  await everywhere('DELETE FROM partitions')
  expect(await isPrepared()).not.toBeNull()
  expect((await ada.createShare(file, { grantee_id: bob.id, permission: 'view' })).status).toBe(201)
  expect(await isPrepared()).toBeNull()
  const { asset } = await bob.branched(source)
  const hints = 'SELECT count(*) AS count FROM share_hints WHERE grantee_id = ?'
  expect(await env.DB.prepare(hints).bind(bob.id).first('count')).toBe(0)

  const moved = await moveStep(mover(), range, 'DB_1')
  expect(moved).toMatchObject({
    state: 'undone',
    reason: expect.stringContaining('a Worker with one database'),
  })
  expect(await ada.names()).toContain('file')

  expect(await prepareStep(workOf('operator'), 60)).toMatchObject({ state: 'settling' })
  expect((await moveStep(mover(), range, 'DB_1')).state, 'begun, and not done').toBe('undone')
  const later = { now_ms: Date.now() + 61_000 }
  for (let step = 0; (await prepareStep(workOf('operator', later), 60)).state !== 'prepared'; step++)
    expect(step).toBeLessThan(50)
  expect(await env.DB.prepare(hints).bind(bob.id).first('count')).toBe(1)
  const { objects } = await env.BUCKET.list({ prefix: 'refs/' })
  expect(objects.map(({ key }) => key)).toContainEqual(expect.stringContaining(asset.id))
  await moveAll(range, 'DB_1')
  expect((await bob.through(service).sharedWithMe()).map(({ file_id }) => file_id)).toEqual([file.id])
  expect(await isPrepared()).not.toBeNull()
})
