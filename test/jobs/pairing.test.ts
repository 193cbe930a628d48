import { env } from 'cloudflare:test'
import type { SQL } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collectGarbage } from '../../src/features/content/collect-garbage.ts'
import { deleteFile } from '../../src/features/files/delete.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { runJob } from '../../src/janitor/run.ts'
import { blockFile } from '../../src/operators/moderation/block.ts'
import { PROBES } from '../../src/platform/config/copy-guards.ts'
import { newId } from '../../src/platform/db/id.ts'
import { isStatement } from '../../src/platform/db/session.ts'
import { prepare } from '../../src/platform/db/sql.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { pairWithBucket } from '../../src/platform/storage/pairing.ts'
import { asset, file, there } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { databaseOf, everyDatabase, overEvery, startOver } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { meteredDatabase, overridden } from '../support/meter.ts'
import { died, dyingAt } from '../support/mortal.ts'
import { orphanKey as anyOrphanKey, jobIn, runJobIn, runOnce } from '../support/objects.ts'
import { reconcile } from '../support/reconciling.ts'
import { seedSiblings } from '../support/seed.ts'

const keys = async () =>
  (await env.BUCKET.list()).objects.map(({ key }) => key).filter((key) => !key.startsWith('.pairing'))
const isThere = async (key: string) => (await env.BUCKET.head(key)) !== null
const pairingId = async () => (await env.BUCKET.get('.pairing'))?.text()
const row = () => env.DB.prepare('SELECT current, next FROM bucket_pairing').first<Pairing>()

/** A user of the first database, whose job runs. */
const newUserId = () => newUserIdIn(FIRST)

/** The key of an object that the first database would know if any did. */
function orphanKey(days_ago: number): string {
  let key = anyOrphanKey(days_ago)
  while (databaseOf(key) !== everyDatabase[0]) key = anyOrphanKey(days_ago)
  return key
}

interface Pairing {
  current: string | null
  next: string | null
}

/** Every table's rows, to go back to, without generated columns. */
async function backup(): Promise<Map<string, Record<string, unknown>[]>> {
  const kept = new Map<string, Record<string, unknown>[]>()
  for (const table of tables) {
    const { results: columns } = await env.DB.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>()
    const names = columns.map(({ name }) => name).join()
    const { results } = await env.DB.prepare(`SELECT ${names} FROM ${table}`).all()
    kept.set(table, results)
  }
  return kept
}

const tables = [
  'usage',
  'files',
  'uploads',
  'shares',
  'garbage',
  'progress',
  'bucket_pairing',
  'paused_owners',
]

/** Their triggers make the views of fences writable. */
const views = `SELECT name FROM sqlite_schema WHERE type = 'view'`

/** Brings the database back to what it was, as Time Travel does; without triggers, since the counts come back, too. */
async function rollBack(kept: Map<string, Record<string, unknown>[]>): Promise<void> {
  const { results: triggers } = await env.DB.prepare(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name NOT IN (${views})`,
  ).all<{ name: string; sql: string }>()
  const inserts = tables.flatMap((table) =>
    (kept.get(table) ?? []).map((record) => {
      const columns = Object.keys(record)
      return env.DB.prepare(
        `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
      ).bind(...Object.values(record))
    }),
  )
  await env.DB.batch([
    ...triggers.map(({ name }) => env.DB.prepare(`DROP TRIGGER ${name}`)),
    ...tables.toReversed().map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
    ...inserts,
    ...triggers.map(({ sql }) => env.DB.prepare(sql)),
  ])
}

beforeEach(async () => {
  await startOver()
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

/** Runs that have every reason to remove what no row knows. */
async function runLong(): Promise<string[]> {
  const failed = new Set<string>()
  for (const days of [4, 5, 12, 13, 20]) {
    const report = await runJob(jobIn(days))
    for (const task of report.failed ?? []) failed.add(task)
  }
  return [...failed]
}

describe('the job loses not one object', () => {
  it('when the database is empty', async () => {
    const work = contextOf(newUserId())
    for (let files = 0; files < 30; files++) await file(work)
    await runJobIn(0)
    const before = await keys()
    const { results } = await env.DB.prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name NOT IN (${views})`,
    ).all<{
      name: string
    }>()
    for (const { name } of results) await env.DB.prepare(`DROP TRIGGER ${name}`).run()
    for (const table of [...tables].reverse()) await env.DB.prepare(`DELETE FROM ${table}`).run()
    await env.DB.prepare(`INSERT INTO progress VALUES ('bucket_walk', '')`).run()
    expect(await runLong()).toEqual(['bucket_paired'])
    expect(await keys()).toEqual(before)
    expect(before).toHaveLength(30)
  })

  it('when the database is another one, with a pairing id and garbage of its own', async () => {
    const work = contextOf(newUserId())
    for (let files = 0; files < 30; files++) await file(work)
    await runJobIn(0)
    await env.DB.prepare(`UPDATE bucket_pairing SET current = 'another'`).run()
    const { id, object_key } = await file(work)
    await env.DB.prepare('INSERT INTO garbage (object_key, writable_until) VALUES (?, 0)').bind('x').run()
    await env.BUCKET.put('x', 'content of the other service')
    await deleteFile(work, id)
    await purgeFile(work, id)
    expect(await runLong()).toEqual(['bucket_paired'])
    expect(await keys()).toHaveLength(32)
    expect(await keys()).toContain(object_key)
  })

  it('when the database has been rolled back: what came since stays, and so does what was deleted since', async () => {
    const work = contextOf(newUserId())
    for (let files = 0; files < 3; files++) await file(work)
    await runJobIn(0)
    const kept = await backup()
    for (let files = 0; files < 30; files++) await file(work)
    await runJobIn(0.1)
    const before = await keys()
    await rollBack(kept)
    expect(await runLong()).toEqual(['bucket_paired'])
    expect(await keys()).toEqual(before)
    expect(before).toHaveLength(33)
  })

  it('when it is rolled back while the job runs', async () => {
    await runJobIn(0)
    await env.BUCKET.put('x', 'x')
    await env.DB.prepare(`INSERT INTO garbage (object_key, writable_until) VALUES ('x', 0)`).run()
    const job = jobIn(1)
    const db = overridden(job.db, {
      write: async (query: SQL) => {
        const rows = await job.db.write(query)
        if (prepare(query).sql.includes('UPDATE bucket_pairing'))
          await env.DB.prepare(`UPDATE bucket_pairing SET current = 'an older one'`).run()
        return rows
      },
    })
    await runJob({ ...job, db })
    expect(await keys()).toEqual(['x'])
  })

  it('when one of twenty is unknown, and more than a few: nothing is on the garbage list', async () => {
    const work = contextOf(newUserId())
    for (let files = 0; files < 60; files++) await file(work)
    await runJobIn(0)
    await env.DB.prepare(
      `DELETE FROM uploads WHERE id IN (SELECT id FROM uploads ORDER BY id LIMIT 20)`,
    ).run()
    const report = await runJob(jobIn(4))
    expect(report.failed).toEqual(['objects_checked'])
    expect(await runLong()).toEqual(['objects_checked'])
    expect(await keys()).toHaveLength(60)
    expect(await env.DB.prepare('SELECT count(*) AS count FROM garbage').first('count')).toBe(0)
  })

  it('of a file whose upload was forgotten, wherever the walk stands, and whatever it stood at', async () => {
    const work = contextOf(newUserId())
    const { object_key } = await file(work)
    await runJobIn(0)
    await env.DB.prepare('DELETE FROM uploads').run()
    for (const position of ['', null, '0'])
      for (const task of ['orphans', 'bucket_walk']) {
        await env.DB.prepare('INSERT OR REPLACE INTO progress VALUES (?, ?)').bind(task, position).run()
        await runLong()
      }
    expect(await keys()).toEqual([object_key])
  })

  it('that the walk found, while files can’t be asked', async () => {
    const orphan = orphanKey(0)
    await env.BUCKET.put(orphan, 'x')
    await runJobIn(0)
    await runJobIn(4)
    const job = jobIn(12)
    const db = overridden(job.db, {
      read: async (query: SQL) => {
        if (isStatement(query) && prepare(query).sql.includes('SELECT files.object_key FROM'))
          throw new Error('took too long')
        return job.db.read(query)
      },
    })
    expect((await runJob({ ...job, db })).failed).toBeUndefined()
    expect(await keys()).toEqual([orphan])
    await runJobIn(14)
    expect(await keys()).toEqual([])
  })

  it('that a row refers to, though it is on the garbage list', async () => {
    const work = contextOf(newUserId())
    const { object_key } = await file(work)
    await asset(work)
    const version = await env.DB.prepare('SELECT object_key FROM asset_versions').first<string>('object_key')
    for (const key of [object_key, version])
      await env.DB.prepare('INSERT INTO garbage (object_key, writable_until) VALUES (?, 0)').bind(key).run()
    for (const days of [0, 1.5, 3]) await runJob(jobIn(days))
    expect((await keys()).sort()).toEqual([object_key, version].sort())
  })
})

describe('database and bucket', () => {
  it('are paired by the first run, when neither has a pairing id, and get another one every hour', async () => {
    await runJobIn(0)
    const first = await pairingId()
    expect(await row()).toEqual({ current: first, next: null })
    await runJobIn(0.03)
    expect(await pairingId()).toBe(first)
    await runJobIn(0.05)
    expect(await pairingId()).not.toBe(first)
    expect(await row()).toEqual({ current: await pairingId(), next: null })
  })

  it('stay paired wherever a run is cut off', async () => {
    for (const days of [0, 1])
      for (const when of ['before', 'after'] as const)
        for (let at = 1; at <= 7; at++) {
          const job = jobIn(days + at / 10 + (when === 'after' ? 0.04 : 0))
          await died(runJob(dyingAt(job, at, when)))
          const known = await row()
          if (known) expect([known.current, known.next]).toContain((await pairingId()) ?? null)
        }
    await runJobIn(3)
    expect(await row()).toEqual({ current: await pairingId(), next: null })
  })

  it('are paired anew when both pairing ids have been taken away, and objects are removed again', async () => {
    await runJobIn(0)
    await env.BUCKET.put('.pairing', 'of another database')
    expect((await runJob(jobIn(0))).failed).toEqual(['bucket_paired'])
    await env.BUCKET.delete('.pairing')
    await env.DB.prepare('DELETE FROM bucket_pairing').run()
    await env.BUCKET.put('x', 'x')
    await env.DB.prepare(`INSERT INTO garbage (object_key, writable_until) VALUES ('x', 0)`).run()
    await runJobIn(0)
    expect(await keys()).toEqual([])
  })

  it('stay as another process has paired them meanwhile: the run fails, and does not replace its id', async () => {
    const bucket = overridden(env.BUCKET, {
      put: async (...put: Parameters<R2Bucket['put']>) => {
        await env.BUCKET.put('.pairing', 'the id of another process')
        return env.BUCKET.put(...put)
      },
    })
    await expect(pairWithBucket({ ...jobIn(0), bucket })).rejects.toThrow('another process')
    expect(await pairingId()).toBe('the id of another process')
  })
})

describe('the walk through the bucket', () => {
  it.for([
    ['there is none', 'DELETE FROM progress'],
    ['it is null', 'UPDATE progress SET position = NULL'],
  ])(
    'goes on from now when its position is lost (%s), and uploads are forgotten again',
    async ([, lose = '']) => {
      await runJobIn(0)
      const { object_key } = await file(contextOf(newUserId()))
      await env.DB.prepare(`${lose} WHERE task = 'bucket_walk'`).run()
      for (const days of [4, 4.1]) await runOnce(days)
      expect(await env.DB.prepare('SELECT count(*) AS count FROM uploads').first('count')).toBe(0)
      expect(await keys()).toEqual([object_key])
    },
  )

  it('is not taken back by a run whose list comes late: of older objects, the uploads may be forgotten', async () => {
    await runJobIn(0)
    const later = orphanKey(-30)
    const bucket = overridden(env.BUCKET, {
      list: async (options: R2ListOptions) => {
        const listed = await env.BUCKET.list(options)
        if (options.prefix === undefined)
          await env.DB.prepare(`UPDATE progress SET position = ? WHERE task = 'bucket_walk'`)
            .bind(later)
            .run()
        return listed
      },
    })
    await runJob({ ...jobIn(3), bucket })
    const position = env.DB.prepare(`SELECT position FROM progress WHERE task = 'bucket_walk'`)
    expect(await position.first('position')).toBe(later)
  })
})

describe('an object that no record knows', () => {
  it('goes a week after it was found, which is a day after its upload’s time; keys that are no ids stay', async () => {
    const orphan = orphanKey(0)
    const work = contextOf(newUserId())
    const known = there((await file(work)).object_key ?? undefined)
    for (const key of [orphan, '.other', 'zebra']) await env.BUCKET.put(key, 'x')
    const is = async () => (await env.BUCKET.head(orphan)) !== null
    await runJobIn(1.9)
    expect(await env.DB.prepare('SELECT count(*) AS count FROM garbage').first('count')).toBe(0)
    await runJobIn(2.1)
    await runJobIn(9)
    expect(await is()).toBe(true)
    await runJobIn(9.2)
    expect(await is()).toBe(false)
    expect((await keys()).sort()).toEqual([known, '.other', 'zebra'].sort())
  })

  it('may be what a probe of a deployment left: however much it is, it stays, and stops nothing', async () => {
    const orphan = orphanKey(0)
    const left = Array.from({ length: 30 }, (_, number) => `${PROBES}run/${number}`)
    for (const key of [orphan, ...left]) await env.BUCKET.put(key, 'x')
    for (const days of [0, 2.1, 10]) await runJobIn(days)
    expect((await keys()).sort()).toEqual(left.sort())
    const { found } = await reconcile({ repair: true })
    expect(found).toEqual([])
    expect((await keys()).sort()).toEqual(left.sort())
  })

  it('is compared with the files of its partition’s users, however many others there are', async () => {
    await runJobIn(0)
    const [ada, bob] = [contextOf(newUserId()), contextOf(newUserId())]
    const contents = [await file(ada), await file(ada), await file(ada), await file(ada)]
    const [trashed, blocked, purging] = contents.map(({ id }) => id)
    await deleteFile(ada, there(trashed))
    await blockFile(bob, there(blocked))
    await env.DB.prepare('UPDATE files SET purging = 1, trashed_at = 1 WHERE id = ?').bind(purging).run()
    await seedSiblings(newUserId(), null, 20_000)
    const orphan = newId(ada.user_id)
    await env.BUCKET.put(orphan, 'x')
    const known = contents.map(({ object_key }) => there(object_key ?? undefined))
    await env.DB.prepare('DELETE FROM uploads').run()
    for (const key of [...known, orphan])
      await env.DB.prepare('INSERT INTO garbage (object_key, writable_until, is_orphan) VALUES (?, 0, 1)')
        .bind(key)
        .run()
    const read: number[] = []
    const databases = databasesOver(
      overEvery((database) =>
        meteredDatabase(database, (results) => read.push(...results.map(({ meta }) => meta.rows_read))),
      ),
    )
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const job = { ...jobIn(1), db: databases.whole(FIRST), databases }
    const pairing_id = there(await pairWithBucket(job))
    read.length = 0
    await collectGarbage({ ...job, pairing_id, separately: new Set(), asked: new Set(), next_at: undefined })
    expect(await Promise.all([...known, orphan].map(isThere))).toEqual([true, true, true, true, false])
    expect(Math.max(...read), 'rows that a statement reads').toBeLessThan(100)
  })

  it('is looked at once, slice by slice, and the uploads that tell are kept until then', async () => {
    const work = contextOf(newUserId())
    const { object_key } = await file(work)
    const orphans = Array.from({ length: 350 }, () => orphanKey(0))
    await Promise.all(orphans.map((key) => env.BUCKET.put(key, 'x')))
    const listed: (string | undefined)[] = []
    const bucket = overridden(env.BUCKET, {
      list: (options: R2ListOptions) => {
        if (options.prefix === undefined) listed.push(options.startAfter)
        return env.BUCKET.list(options)
      },
    })
    await env.DB.prepare(`INSERT INTO garbage (object_key, writable_until, next_at)
      SELECT value, 0, 9e9 FROM json_each(?) WHERE value <> ?`)
      .bind(JSON.stringify(await everyKey()), object_key)
      .run()
    await env.DB.prepare(`UPDATE uploads SET expires_at = 0`).run()
    await env.DB.prepare(`UPDATE progress SET position = '0' WHERE task = 'bucket_walk'`).run()
    await runJob({ ...jobIn(0), bucket })
    expect(await env.DB.prepare('SELECT count(*) AS count FROM uploads').first('count')).toBe(1)
    listed.length = 0
    const report = await runJob({ ...jobIn(30), bucket })
    expect(report.objects_checked).toBe(351)
    // The simulator lists 100 objects a page when it lists their metadata.
    expect(listed).toHaveLength(4)
    expect(new Set(listed).size, 'each page begins elsewhere').toBe(4)
    const again = await runJob({ ...jobIn(30.01), bucket })
    expect(again.objects_checked, 'it goes on where it was').toBe(1)
    expect(await env.DB.prepare('SELECT count(*) AS count FROM uploads').first('count')).toBe(0)
    expect(await env.BUCKET.head(there(object_key ?? undefined))).not.toBeNull()
  })
})

async function everyKey(): Promise<string[]> {
  const all: string[] = []
  for (let startAfter: string | undefined; ; startAfter = all.at(-1)) {
    const { objects, truncated } = await env.BUCKET.list({ startAfter })
    all.push(...objects.map(({ key }) => key))
    if (!truncated) return all
  }
}
