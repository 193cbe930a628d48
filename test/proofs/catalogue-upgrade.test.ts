import { env } from 'cloudflare:workers'
import { afterAll, expect, inject, it } from 'vitest'
import { runJob } from '../../src/janitor/run.ts'
import { expectCatalogueDone } from '../support/catalogue.ts'
import { startOver } from '../support/databases.ts'
import { jobIn } from '../support/objects.ts'
import { GrownDatabase } from './migrations/grown.ts'

/** How many public assets the database of version 0.2.0 has. */
const ASSETS = inject('proof').amount || 1_000
/** The migrations of version 0.2.0. */
const RELEASED = 4

/** A user has a thousand assets, which is as many as may be public. */
const USER = `printf('user-%d', n / 1000)`

const NUMBERS =
  'WITH RECURSIVE numbers (n) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2 - 1)'

const seedUsers = `${NUMBERS}
  INSERT INTO usage (user_id, partition, limit_bytes, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
    max_open_uploads, max_ended_uploads, max_idempotency_keys)
  SELECT DISTINCT ${USER}, '000', 1, 1, 1, 1000, 1000, 1, 1, 1, 1 FROM numbers WHERE true ON CONFLICT DO NOTHING`

const seedAssets = `${NUMBERS}
  INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, current_version, created_at, updated_at)
  SELECT printf('%08x-%04x-7000-8000-%012x', n / 65536, n % 65536, n), ${USER}, 'world', 'World ' || n, 'world ' || n, 'public', 1,
    1700000000 + n, 1700000000 + n FROM numbers`

/** What the oracle of the catalogue compares, for more rows than a test can hold: how many differ. */
const recount = [
  'SELECT count(*) AS faults FROM catalogue_marks',
  `SELECT count(*) AS faults FROM game_assets AS asset LEFT JOIN catalogue_entries AS entry ON entry.id = asset.id
    WHERE (entry.removed_at, entry.revision, entry.owner_id, entry.type, entry.name, entry.search_name, entry.tags, entry.preview_key,
        entry.preview_width, entry.preview_height, entry.current_version, entry.created_at, entry.published_at, entry.updated_at, entry.favorites)
      IS NOT (NULL, asset.revision, asset.owner_id, asset.type, asset.name, asset.search_name, asset.tags, asset.preview_key,
        asset.preview_width, asset.preview_height, asset.current_version, asset.created_at, asset.published_at, asset.updated_at, asset.favorites)`,
  ...Object.entries({
    catalogue_by_published: 'published_at - 1577836800',
    catalogue_by_updated: 'updated_at - 1577836800',
    catalogue_by_popular: 'popularity',
    catalogue_names: 'published_at - 1577836800',
  }).map(
    ([
      table,
      key,
    ]) => `SELECT (SELECT count(*) FROM ${table}_docsize) - (SELECT count(*) FROM catalogue_entries)
      + (SELECT count(*) FROM catalogue_entries WHERE (${key} << 32) | number NOT IN (SELECT id FROM ${table}_docsize)) AS faults`,
  ),
]

const entries = 'SELECT count(*) AS count, min(created_at) AS oldest FROM catalogue_entries'

afterAll(startOver)

it('the job fills the catalogue of an upgraded database, the newest assets first', async () => {
  const database = await GrownDatabase.of(0)
  for (const { queries } of env.MIGRATIONS.slice(0, RELEASED)) await database.execute(queries)
  for (let from = 0; from < ASSETS; from += 10_000)
    await env.DB.batch(
      [seedUsers, seedAssets].map((seed) => env.DB.prepare(seed).bind(from, Math.min(ASSETS, from + 10_000))),
    )
  for (const { name, queries } of env.MIGRATIONS.slice(RELEASED)) {
    const { ms } = await database.execute(queries)
    if (ASSETS > 1_000) console.log(`${name}: ${(ms / 1_000).toFixed(1)} s`)
  }

  const began = Date.now()
  let runs = 0
  for (let isBusy = true; isBusy; runs++) {
    // So few queries that a run fills a part only.
    const report = await runJob(jobIn(0, 'DB', ASSETS === 1_000 ? { JOB_QUERIES: 120 } : {}))
    expect(report.failed).toBeUndefined()
    isBusy = report.has_backlog === true
    const found = await env.DB.prepare(entries).first<{ count: number; oldest: number }>()
    if (found && found.count > 0) expect(found.oldest).toBe(1_700_000_000 + ASSETS - found.count)
  }
  if (ASSETS > 1_000) console.log(`${ASSETS} assets in ${Date.now() - began} ms and ${runs} runs`)
  expect(await env.DB.prepare(entries).first()).toMatchObject({ count: ASSETS })
  if (ASSETS <= 100_000) await expectCatalogueDone()
  else
    expect(await Promise.all(recount.map((sql) => env.DB.prepare(sql).first('faults')))).toEqual(
      recount.map(() => 0),
    )
})
