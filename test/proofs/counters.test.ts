import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { rollBack } from '../../src/features/assets/rollback.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { editFile } from '../../src/features/files/edit.ts'
import { createShare } from '../../src/features/shares/create.ts'
import { leaveSharesOf, revokeShare } from '../../src/features/shares/revoke.ts'
import { emptyTrash } from '../../src/features/trash/empty.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { restoreFile } from '../../src/features/trash/restore.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import { runJob } from '../../src/janitor/run.ts'
import { blockAsset, unblockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { folder, newAsset, newVersion, replacement, there, upload } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { catalogueDatabase, countOf, everywhere } from '../support/databases.ts'
import { configWithEvents } from '../support/events.ts'
import { expectEventsOfFacts, noteFacts } from '../support/facts.ts'
import { newUserId } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { died, dyingAt } from '../support/mortal.ts'
import { expectRecordsAndObjectsAgree, jobIn, runJobIn } from '../support/objects.ts'
import { seeded } from '../support/seeded.ts'

/** PROVE_AMOUNT=10000 for the long run. */
const { seed: first, amount } = inject('proof')
const OPERATIONS = amount || 750
const world = { type: 'world', visibility: 'public' } as const

const config = configWithEvents()

beforeAll(noteFacts)

describe('every counter', () => {
  it(
    `equals a recount, and every event has its fact, after ${OPERATIONS} random operations of all kinds, with a Worker dying in every fifth`,
    () => proveCounters(first + 1, 0.2),
    600_000,
  )

  // Four fifths of the operations above are as healthy.
  it(
    `equals a recount, and every event has its fact, after ${OPERATIONS} random operations of all kinds, as it should be`,
    { tags: ['release'], timeout: 600_000 },
    () => proveCounters(first, 0),
  )
})

/** Does operations of chance, of which a part dies in the midst (`mortality`), and counts again. */
async function proveCounters(seed: number, mortality: number): Promise<void> {
  const random = seeded(seed)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]
  const users = [
    contextOf(newUserId(), {}, config),
    contextOf(
      newUserId(),
      {},
      { ...config, MAX_ITEMS: 40, MAX_ASSETS: 15, DEFAULT_QUOTA_BYTES: 90, CONTENT_GRACE_DAYS: 1 },
    ),
  ]
  const folders: string[] = []
  const files: string[] = []
  const trashed: string[] = []
  const uploads: string[] = []
  const shares: string[] = []
  const assets: string[] = []
  const assetName = () => `asset ${Math.floor(random() * 30)}`
  const any = (ids: string[]) => pick(ids) ?? 'nothing yet'
  const item = () => (random() < 0.6 ? any(folders) : any(files))
  const parent = () => (random() < 0.3 ? null : any(folders))

  const operations: ((work: RequestContext) => Promise<unknown>)[] = [
    async (work) => folders.push((await folder(work, 'folder', parent())).id),
    async (work) => folders.push((await folder(work, 'folder', parent())).id),
    async (work) => {
      const started = await upload(work, parent(), 1 + Math.floor(random() * 9))
      uploads.push(started.upload.id)
      files.push(started.file.id)
    },
    async (work) => {
      const started = await upload(work, parent())
      uploads.push(started.upload.id)
      files.push(started.file.id)
      await arrive(started.upload.id, random() < 0.8 ? 3 : 2)
      await completeUpload(work, started.upload.id)
    },
    (work) => completeUpload(work, any(uploads)),
    (work) => abortUpload(work, any(uploads)),
    (work) => editFile(work, item(), { parent_id: parent() }),
    (work) => editFile(work, item(), { name: 'renamed', is_public: random() < 0.5 }),
    async (work) => {
      const id = item()
      await deleteFile(work, id)
      trashed.push(id)
    },
    (work) => restoreFile(work, any(trashed.slice(-8))),
    (work) => restoreFile(work, any(trashed.slice(-8))),
    (work) => purgeFile(work, any(trashed.slice(-8))),
    (work) => (random() < 0.1 ? emptyTrash(work) : Promise.resolve()),
    async (work) =>
      shares.push(
        (
          await createShare(work, any(files), {
            grantee_id: `${Math.floor(random() * 5)}`,
            permission: 'view',
          })
        ).id,
      ),
    (work) => revokeShare(work, any(shares)),
    () => leaveSharesOf(contextOf(`${Math.floor(random() * 5)}`, {}, config), pick(users)?.user_id ?? ''),
    async (work) => {
      const { upload } = await replacement(work, any(files), null, 1 + Math.floor(random() * 9))
      uploads.push(upload.id)
    },
    async (work) => {
      const { upload } = await replacement(work, any(files))
      uploads.push(upload.id)
      await arrive(upload.id)
      await completeUpload(work, upload.id)
    },
    async (work) => assets.push((await createAsset(work, { name: assetName(), ...world })).id),
    async (work) => {
      const { upload } = await newAsset(work, assetName(), 'public')
      uploads.push(upload.id)
      await arrive(upload.id)
      assets.push(there((await completeUpload(work, upload.id, { name: crypto.randomUUID() })).asset).id)
    },
    async (work) => {
      const { upload } = await newVersion(work, any(assets))
      uploads.push(upload.id)
      await arrive(upload.id, random() < 0.8 ? 3 : 2)
      await completeUpload(work, upload.id)
    },
    async (work) => uploads.push((await newVersion(work, any(assets))).upload.id),
    async (work) => assets.push((await branchAsset(work, any(assets), { name: assetName() })).asset.id),
    (work) => rollBack(work, any(assets), { from_version: 1 }),
    (work) => editAsset(work, any(assets), { name: assetName() }),
    (work) => deleteAsset(work, any(assets)),
    (work) => restoreAsset(work, any(assets), random() < 0.5 ? {} : { name: crypto.randomUUID() }),
    (work) => (random() < 0.3 ? deleteAsset(work, any(assets), { permanent: true }) : Promise.resolve()),
    (work) => (random() < 0.3 ? blockAsset : unblockAsset)(work, any(assets)),
    async () => (random() < 0.05 ? runJob(jobIn(random() < 0.1 ? 2 : 0, FIRST, config)) : undefined),
  ]

  const done: Record<string, number> = {}
  const succeeded = new Set<unknown>()
  for (let i = 0; i < OPERATIONS; i++) {
    const work = pick(users)
    const operation = pick(operations)
    if (!work || !operation) throw new Error('nothing to do')
    const now = { ...work, now_ms: Date.now() }
    const mortal =
      random() < mortality
        ? dyingAt(now, 1 + Math.floor(random() * 4), pick(['before', 'after']) ?? 'before')
        : now
    const outcome = await operation(mortal).then(
      () => {
        succeeded.add(operation)
        return 'ok'
      },
      async (error: unknown) => {
        if (await died(Promise.reject(error))) return 'died'
        return error instanceof ApiError ? error.code : 'error'
      },
    )
    done[outcome] = (done[outcome] ?? 0) + 1
    if (i % 250 === 0) await expectSound(...users.map(({ user_id }) => user_id))
  }
  expect(done.error ?? 0).toBe(0)
  expect(done.INTERNAL ?? 0).toBe(0)
  expect(done.ok).toBeGreaterThan(OPERATIONS / 5)
  const never = operations.flatMap((operation, index) => (succeeded.has(operation) ? [] : [index]))
  expect(never, 'operations that never succeeded').toEqual([])
  await expectSound(...users.map(({ user_id }) => user_id))
  expect(await countOf('usage WHERE kept_bytes BETWEEN 1 AND 90'), 'users whose content waits').toBe(1)
  await runJobIn(3, config)
  expect(await countOf('usage WHERE kept_bytes <> 0')).toBe(0)
  await expectSound(...users.map(({ user_id }) => user_id))
  const events = await expectEventsOfFacts()
  console.log(JSON.stringify(events))
  expect(Object.keys(events).length).toBe(11)
  await expectRecordsAndObjectsAgree()
  const torn = await countOf(
    'files WHERE share_count <> (SELECT count(*) FROM shares WHERE file_id = files.id)',
  )
  expect(torn).toBe(0)
  const tornExpired = await countOf(
    'files WHERE expired_share_count <> (SELECT count(*) FROM shares WHERE file_id = files.id AND expired = 1)',
  )
  expect(tornExpired).toBe(0)
  expect(await countOf('catalogue_marks'), 'the job has applied every mark').toBe(0)
  expect(await entriesShown(), 'the catalogue holds what is listed').toEqual(await assetsShown())
  const sorts = ['catalogue_by_published', 'catalogue_by_updated', 'catalogue_by_popular', 'catalogue_names']
  for (const table of sorts)
    expect(await inCatalogue(`SELECT count(*) AS count FROM ${table}`), table).toEqual([
      { count: (await entriesShown()).length },
    ])
}

/** The rows of a statement in the database of the catalogue. */
async function inCatalogue<Row>(statement: string): Promise<Row[]> {
  return (await (catalogueDatabase ?? env.DB).prepare(statement).all<Row>()).results
}

const compared = 'id, name, type, owner_id, tags, favorites, published_at, updated_at, current_version'

async function entriesShown(): Promise<unknown[]> {
  return inCatalogue(`SELECT ${compared} FROM catalogue_entries WHERE removed_at IS NULL ORDER BY id`)
}

async function assetsShown(): Promise<unknown[]> {
  const rows = await everywhere<{ id: string }>(
    `SELECT ${compared} FROM game_assets WHERE is_in_catalogue = 1
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1)`,
  )
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1))
}
