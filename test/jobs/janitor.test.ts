import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { abortUpload } from '../../src/features/uploads/transitions.ts'
import { Janitor, wakeJanitors } from '../../src/janitor/janitor.ts'
import { runJob, taskNames } from '../../src/janitor/run.ts'
import type { JobContext } from '../../src/platform/context.ts'
import { newId } from '../../src/platform/db/id.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { folder, upload } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, overEvery } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { expectSound } from '../support/invariants.ts'
import { meteredBucket, meteredDatabase } from '../support/meter.ts'
import { jobIn, runJobIn, runOnce } from '../support/objects.ts'
import { openAccount, seedSiblings } from '../support/seed.ts'

/** A user of the first database, whose job runs. */
const newUserId = (begin = '') => newUserIdIn(FIRST, begin)

const limited = (job: JobContext, JOB_QUERIES: number): JobContext => ({
  ...job,
  config: { ...job.config, JOB_QUERIES },
})

/** A user with so many items that are being deleted for good. */
async function purging(items: number, user_id: string = newUserId()): Promise<string> {
  const work = contextOf(user_id)
  await openAccount(user_id)
  const top = await folder(work, 'top')
  await seedSiblings(user_id, top.id, items)
  await env.DB.prepare('UPDATE files SET purging = 1, trashed_at = 1 WHERE id = ?').bind(top.id).run()
  return user_id
}

async function outdatedKeys(keys: number): Promise<void> {
  const user_id = newUserId()
  await openAccount(user_id)
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO idempotency SELECT ?, i, 'h', 'm', 1 FROM n`,
  )
    .bind(keys, user_id)
    .run()
}

/** A key on the garbage list whose turn is at a time (Unix seconds). */
async function garbage(object_key: string, next_at: number): Promise<void> {
  await env.DB.prepare('INSERT INTO garbage (object_key, writable_until, next_at) VALUES (?, 0, ?)')
    .bind(object_key, next_at)
    .run()
}

afterEach(() => vi.restoreAllMocks())

describe('a run of the job', () => {
  it('sends no more queries and makes no more calls than it may, says so, and leaves the rest as a backlog', async () => {
    const users = [await purging(8_000), await purging(8_000)]
    const sent = { queries: 0, calls: 0 }
    const databases = databasesOver(
      overEvery((database) =>
        meteredDatabase(database, (results) => {
          sent.queries += results.length
        }),
      ),
    )
    const job = {
      ...limited(jobIn(0), 100),
      db: databases.whole(FIRST),
      databases,
      bucket: meteredBucket(env.BUCKET, () => sent.calls++),
    }
    const log = vi.spyOn(console, 'error')
    const report = await runJob(job)
    expect(report).toMatchObject({ ...sent, has_backlog: true })
    expect(sent.queries).toBeLessThanOrEqual(100)
    expect(sent.queries).toBeGreaterThan(70)
    for (let runs = 0; runs < 40; runs++) {
      sent.queries = 0
      const { has_backlog } = await runJob(job)
      expect(sent.queries).toBeLessThanOrEqual(100)
      if (!has_backlog) break
    }
    for (const user of users) expect(await countOf('files WHERE owner_id = ?', user)).toBe(0)
    expect(log, 'no step cost more than its task declares').not.toHaveBeenCalled()
  })

  it('gives every task its turn, however much there is to do for one of them', async () => {
    await purging(5_000)
    await outdatedKeys(2_000)
    const report = await runJob(limited(jobIn(0), 140))
    expect(report.rows_purged).toBeGreaterThan(0)
    expect(report.keys_deleted).toBe(2_000)
  })

  it('begins with another task each time, so that one whose turn uses up the run starves nobody', async () => {
    const first = new Set<string | undefined>()
    for (const _ of taskNames) {
      await purging(1)
      await outdatedKeys(1)
      await garbage(newId(newUserId()), 0)
      const report = await runJob(jobIn(0))
      // A report has the tasks in the order in which they did something.
      first.add(Object.keys(report)[0])
    }
    expect([...first]).toEqual(expect.arrayContaining(['rows_purged', 'keys_deleted', 'objects_removed']))
  })
})

describe('owners', () => {
  it('take turns, and one with a row that can’t be removed keeps no other from theirs', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const [sick, ...healthy] = [
      await purging(3_000, newUserId('a ')),
      await purging(3_000),
      await purging(10),
    ]
    await env.DB.prepare('UPDATE usage SET items = 10 WHERE user_id = ?').bind(sick).run()
    expect((await runJob(jobIn(0))).failed).toBeUndefined()
    for (const user of healthy) expect(await countOf('files WHERE owner_id = ?', user)).toBe(0)
    expect(await countOf('files WHERE owner_id = ?', sick)).toBeGreaterThan(1_000)
    expect(log).toHaveBeenCalledWith(expect.stringContaining(String(sick)))
    log.mockClear()
    await runJob(jobIn(0))
    expect(log, 'not tried again at once').not.toHaveBeenCalled()
    await env.DB.prepare(
      'UPDATE usage SET items = (SELECT count(*) FROM files WHERE owner_id = user_id) WHERE user_id = ?',
    )
      .bind(sick)
      .run()
    await runJob(jobIn(0.1))
    await runJob(jobIn(0.1))
    expect(await countOf('files WHERE owner_id = ?', sick)).toBe(0)
    await expectSound(String(sick))
  })

  it('of whom a step removes nothing are left out, too, and keep no other from theirs', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const [sick, healthy] = [await purging(10, newUserId('a ')), await purging(1_200)]
    await env.DB.prepare(
      `CREATE TRIGGER stays BEFORE DELETE ON files WHEN OLD.owner_id = '${sick}' BEGIN SELECT RAISE(IGNORE); END`,
    ).run()
    await runJob(jobIn(0))
    await env.DB.prepare('DROP TRIGGER stays').run()
    expect(log).toHaveBeenCalledWith(expect.stringContaining('changed nothing'))
    expect(await countOf('files WHERE owner_id = ?', healthy)).toBe(0)
    await runJobIn(0.1)
    expect(await countOf('files WHERE owner_id = ?', sick)).toBe(0)
  })

  it('are left out for longer after each failure, a day at most', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const sick = await purging(10)
    await env.DB.prepare('UPDATE usage SET items = 0 WHERE user_id = ?').bind(sick).run()
    const pauses: number[] = []
    for (let days = 1; days < 20; days += 2) {
      const job = jobIn(days)
      await runJob(job)
      const next = await env.DB.prepare('SELECT next_at FROM paused_owners WHERE owner_id = ?')
        .bind(sick)
        .first<number>('next_at')
      pauses.push((next ?? 0) - Math.floor(job.now_ms / 1_000))
    }
    expect(pauses.slice(0, 4)).toEqual([300, 600, 1_200, 2_400])
    expect(pauses.at(-1)).toBe(86_400)
    await env.DB.prepare('UPDATE usage SET items = 11 WHERE user_id = ?').bind(sick).run()
  })

  it('of whom an upload can’t be ended keep no other’s from ending', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const users = [newUserId(), newUserId(), newUserId()]
    for (const [index, user] of users.entries()) {
      await openAccount(user)
      await env.DB.prepare(
        `INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, asset_type, name, visibility, created_at, expires_at, url_ttl)
        VALUES (?, ?, 'game_asset', 1, 'a/b', 'world', 'x', 'private', 1, ?, 3600)`,
      )
        .bind(newId(user), user, index + 1)
        .run()
    }
    await env.DB.prepare('UPDATE usage SET open_uploads = 0 WHERE user_id = ?').bind(users[0]).run()
    expect((await runJob(jobIn(0))).failed).toBeUndefined()
    const left = await Promise.all(users.map((user) => countOf('uploads WHERE owner_id = ?', user)))
    expect(left).toEqual([1, 0, 0])
  })

  it('of whom a key can’t be forgotten keep no other’s on the garbage list, nor does a key of nobody’s', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const [sick, healthy] = [contextOf(newUserId()), contextOf(newUserId())]
    const keys: string[] = []
    for (const work of [sick, healthy, sick, healthy]) {
      const { id } = (await upload(work)).upload
      await abortUpload(work, id)
      await env.BUCKET.put(id, 'x')
      keys.push(id)
    }
    const ofNobody = [newId(newUserId()), newId(newUserId())]
    for (const [index, key] of ofNobody.entries()) await garbage(key, index)
    await env.DB.prepare('UPDATE usage SET writable_keys = 0 WHERE user_id = ?').bind(sick.user_id).run()
    await env.DB.exec(
      `CREATE TRIGGER refuse_one BEFORE DELETE ON garbage WHEN OLD.object_key = '${ofNobody[0]}'
      BEGIN SELECT RAISE(ABORT, 'this one stays'); END`.replace('\n', ' '),
    )
    const left = () =>
      countOf(
        'garbage WHERE object_key IN (SELECT value FROM json_each(?))',
        JSON.stringify([...keys, ...ofNobody]),
      )
    const laterOn = jobIn(1.1)
    expect((await runJob(laterOn)).failed).toBeUndefined()
    expect(await left()).toBe(3)
    for (const key of keys) expect(await env.BUCKET.head(key)).toBeNull()
    for (const who of [sick.user_id, ofNobody[0]])
      expect(log).toHaveBeenCalledWith(expect.stringContaining(String(who)))
    log.mockClear()
    expect(await runJob(laterOn), 'not tried again at once').not.toHaveProperty('objects_removed')
    await env.DB.exec('DROP TRIGGER refuse_one')
    await env.DB.prepare('UPDATE usage SET writable_keys = 2 WHERE user_id = ?').bind(sick.user_id).run()
    await runOnce(3)
    expect(await left()).toBe(0)
    expect(log).not.toHaveBeenCalledWith(expect.stringContaining('objects_removed'))
    await expectSound(sick.user_id)
  })
})

describe('the janitor', () => {
  const janitor = () => env.JANITOR.getByName('janitor')

  // An earlier file of the runtime may have left its alarm set.
  beforeAll(() => runDurableObjectAlarm(janitor()))

  it('runs the job when it is woken, and goes on by itself while there is a backlog', async () => {
    await outdatedKeys(5_000)
    await wakeJanitors(env)
    expect(await countOf('idempotency')).toBe(0)
    expect(await runDurableObjectAlarm(janitor()), 'nothing left to come back for').toBe(false)
  })

  it('has one run at a time: what asks for one meanwhile gets the next, and shares it', async () => {
    await outdatedKeys(20_000)
    const before = await runsSoFar()
    const first = janitor().wake('DB')
    while ((await runsSoFar()) === before) {}
    const others = await Promise.all([1, 2, 3].map(() => janitor().wake('DB')))
    expect(await first).toMatchObject({ keys_deleted: 20_000 })
    for (const other of others) expect(other).not.toHaveProperty('keys_deleted')
    expect((await runsSoFar()) - before).toBe(2)
  })

  it('goes on when its alarm rings', async () => {
    const user = await purging(2_000)
    await runInDurableObject(janitor(), (_, state) => state.storage.setAlarm(Date.now() + 60_000))
    expect(await runDurableObjectAlarm(janitor())).toBe(true)
    expect(await countOf('files WHERE owner_id = ?', user)).toBe(0)
  })

  it('comes to an end with the least budget, in which no run has room for all tasks', async () => {
    await runOnce(0)
    const bindings = { ...env, JOB_QUERIES: '80' }
    for (let runs = 0, alarm: number | null = 0; alarm !== null; runs++) {
      expect(runs, 'nothing is left, and the alarm rings again and again').toBeLessThan(40)
      alarm = await runInDurableObject(janitor(), async (_, state) => {
        await state.storage.deleteAlarm()
        await new Janitor(state, bindings).alarm()
        return state.storage.getAlarm()
      })
    }
  })

  it('comes back ever later while nothing can be done, and soon again once it can', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await wakeJanitors(env)
    const object = await env.BUCKET.get('.pairing')
    await env.BUCKET.put('.pairing', 'of another database')
    const waits: number[] = []
    for (let runs = 0; runs < 10; runs++) {
      const before = Date.now()
      if (runs === 0) await expect(wakeJanitors(env)).rejects.toThrow('bucket_paired')
      else expect(await runDurableObjectAlarm(janitor())).toBe(true)
      const alarm = await runInDurableObject(janitor(), (_, state) => state.storage.getAlarm())
      waits.push((alarm ?? 0) - before)
    }
    expect(
      waits.every((wait, index) => index === 0 || wait > (waits[index - 1] ?? 0) || wait >= 300_000),
    ).toBe(true)
    expect(waits.at(-1)).toBeGreaterThanOrEqual(300_000)
    await env.BUCKET.put('.pairing', (await object?.text()) ?? '')
    expect(await runDurableObjectAlarm(janitor())).toBe(true)
    expect(await runDurableObjectAlarm(janitor()), 'nothing left to come back for').toBe(false)
  })
})

async function runsSoFar(): Promise<number> {
  return Number(await env.DB.prepare(`SELECT position FROM progress WHERE task = 'runs'`).first('position'))
}
