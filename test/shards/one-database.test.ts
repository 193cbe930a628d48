import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { runJob } from '../../src/janitor/run.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { Creator, signUpCreator } from '../support/creator.ts'
import { homeOf } from '../support/databases.ts'
import { moveAll } from '../support/moving.ts'
import { jobIn } from '../support/objects.ts'
import { service, serviceOver } from '../support/service.ts'

/** A Worker that has only the first database bound. */
const alone = serviceOver({ DB: env.DB })

/** A creator whose home is, or is not, the first database. */
async function creatorWith(isInTheFirst: boolean, name: string): Promise<Creator> {
  for (;;) {
    const creator = await signUpCreator(name, isInTheFirst ? alone : service)
    if ((homeOf(creator.id) === env.DB) === isInTheFirst) return creator
  }
}

const [ada, bob] = [await creatorWith(true, 'ada'), await creatorWith(true, 'bob')]
const file = await ada.file('file', 'content')
const source = await ada.asset('source', { visibility: 'public' }, 'castle')

it('refuses to share with a user of another database and to branch an asset there, because the hints would be missing', async () => {
  const eve = await creatorWith(false, 'eve')
  const elsewhere = await eve.asset('elsewhere', { visibility: 'public' }, 'content')
  for (let times = 0; times < 3; times++) {
    expect(await ada.createShare(file, { grantee_id: eve.id, permission: 'view' })).toBeProblem(
      503,
      'UNAVAILABLE',
    )
    expect(await bob.branch(elsewhere, { name: 'branch' })).toBeProblem(503, 'UNAVAILABLE')
  }
  expect(await eve.sharedWithMe()).toEqual([])
  expect((await ada.folder()).name).toBe('folder')
})

it('runs no job while partitions are in a database that is not bound, because the job would see no markers', async () => {
  const databases = new Databases({ DB: env.DB }, { timeout_ms: 30_000 })
  const report = await runJob({ ...jobIn(0), databases, db: databases.whole('DB') })
  expect(report).toEqual({ failed: ['databases_bound'], queries: 1, calls: 0 })
})

it('writes hints for shares and branches and markers for content, so that partitions can be moved later', async () => {
  expect((await ada.createShare(file, { grantee_id: bob.id, permission: 'view' })).status).toBe(201)
  const { asset } = await bob.branched(source)
  const hints = env.DB.prepare('SELECT partition FROM share_hints WHERE grantee_id = ?').bind(bob.id)
  expect(await hints.first('partition')).toBe(partitionOf(ada.id))
  const { objects } = await env.BUCKET.list({ prefix: 'refs/' })
  expect(objects.map(({ key }) => key)).toContainEqual(expect.stringContaining(asset.id))

  await moveAll({ first: partitionOf(ada.id), last: partitionOf(ada.id) }, 'DB_1')
  expect((await bob.through(service).sharedWithMe()).map(({ file_id }) => file_id)).toEqual([file.id])
  expect(await new Creator(bob.id, bob.token, service).branchNames(source)).toEqual([asset.name])
})
