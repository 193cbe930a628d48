import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startOver } from '../support/databases.ts'
import { type Cost, GrownDatabase } from './migrations/grown.ts'
import { seeds, small } from './migrations/seeds.ts'

const MILLION = 1_000_000
/** Rows of each table that may be large. */
const ROWS = inject('proof').amount || 1_000

/**
 * The rows that a migration may read and write for each row of such a table: forty million for a million. The same at every
 * size, unless it goes through a table for each row of a table.
 */
const MAX_ROWS = 40
/**
 * How many times as long as one index over a table a migration may take. D1 ends a request after 30 seconds, so this is enough
 * where D1 makes an index over a million rows within two.
 */
const MAX_INDEXES = 15

const INDEX = 'CREATE INDEX one_index ON files (created_at, id)'

const costs: { name: string; cost: Cost }[] = []
let index: Cost
let database: GrownDatabase

const rowsOf = ({ read, written }: Cost) => (read + written) / ROWS

beforeAll(
  async () => {
    database = await GrownDatabase.of(ROWS)
    for (const { name, queries } of env.MIGRATIONS) {
      costs.push({ name, cost: await database.execute(queries) })
      await database.grow()
    }
    index = await database.execute([INDEX])
    await database.execute(['DROP INDEX one_index'])
    const lines = [...costs, { name: 'one index', cost: index }].map(({ name, cost }) => {
      const rows = `${rowsOf(cost).toFixed(1).padStart(6)} rows for each`
      const time = `${(cost.ms / 1_000).toFixed(1).padStart(6)} s`
      return `${name.padEnd(28)} ${rows} ${time}, ${(cost.ms / Math.max(index.ms, 1)).toFixed(1)} indexes`
    })
    console.log(`Migrations of a database with ${ROWS} rows in each table:\n${lines.join('\n')}`)
  },
  60 * 60 * 1_000, // a million rows in each of 13 tables
)

afterAll(startOver)

describe(`a migration of a database with ${ROWS} rows in each table`, () => {
  it('finds rows in every table, except those that are never large', async () => {
    const tables = (await database.tables()).filter((table) => !/^catalogue_(names|by_[a-z]+)_/.test(table))
    const large = Object.keys(seeds)
    expect(tables.sort()).toEqual([...large, ...Object.keys(small)].sort())
    for (const table of large) {
      const { results } = await env.DB.prepare(`SELECT count(*) AS count FROM ${table}`).all()
      expect(results, table).toEqual([{ count: ROWS }])
    }
  })

  it(`reads and writes at most ${MAX_ROWS} rows for each of them`, () => {
    expect(costs.length).toBe(env.MIGRATIONS.length)
    expect(costs.filter(({ cost }) => rowsOf(cost) > MAX_ROWS)).toEqual([])
  })

  if (ROWS >= MILLION)
    it(`takes at most as long as ${MAX_INDEXES} indexes over one of them`, () => {
      expect(costs.filter(({ cost }) => cost.ms > MAX_INDEXES * index.ms)).toEqual([])
    })

  it('would be found to cost too much if it went through a table for a part of the rows of another', async () => {
    const cost = await database.execute([
      `UPDATE usage SET max_items = (SELECT count(*) FROM files WHERE files.size_bytes > usage.used_bytes)
        WHERE user_id IN (SELECT user_id FROM usage LIMIT ${MAX_ROWS})`,
    ])
    expect(rowsOf(cost)).toBeGreaterThan(MAX_ROWS)
  })
})
