import { expect, it } from 'vitest'
import { catalogueDatabase, startOver } from '../support/databases.ts'

it('chance chooses the entries at which pages stop, so that no owner can take them all', async () => {
  await startOver()
  await catalogueDatabase
    .prepare(
      `INSERT INTO catalogue_entries (id, revision, recounts, owner_id, type, name, search_name, tags, current_version, created_at,
          published_at, updated_at, favorites, facets, initials, removed_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
        SELECT 'entry ' || i, 1, 0, '', 'world', '', '', '[]', 0, 0, 0, 0, 0, '', '', 0 FROM n`,
    )
    .run()
  const stops = await catalogueDatabase
    .prepare(`SELECT number FROM catalogue_entries WHERE stop <> ''`)
    .all<{ number: number }>()
  const numbers = stops.results.map(({ number }) => number)
  expect(Math.min(...numbers), 'a small catalogue has no short page').toBeGreaterThanOrEqual(4_096)
  expect(numbers.length).toBeGreaterThan(10)
  expect(numbers.length).toBeLessThan(120)
  expect(numbers.some((number) => number % 4_096 !== 0)).toBe(true)
  await startOver()
})
