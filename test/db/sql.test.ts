import { sql } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { isLive } from '../../src/features/files/tree/lifecycle.ts'
import { moveObstacle, moveOf } from '../../src/features/files/tree/placement.ts'
import { shownColumns } from '../../src/features/files/tree/visibility.ts'
import { pathTo } from '../../src/features/files/tree/walk.ts'
import { assetTypes } from '../../src/platform/db/enumerations.ts'
import { files } from '../../src/platform/db/schema.ts'
import { assignments, columnsOf, insert, joined, keptStatements, render } from '../../src/platform/db/sql.ts'
import {
  keptStatements as comparedStatements,
  countOfComparisons,
  mistakenStatements,
} from '../support/kept-statements.ts'

const folder = {
  id: 'a',
  owner_id: 'ada',
  parent_id: null,
  name: 'x',
  asset_type: 'folder' as const,
  size_bytes: 0,
  created_at: sql`max(${1}, ${2})`,
  updated_at: 1,
}
const limits = { MAX_FOLDER_DEPTH: 100, MAX_FOLDERS_MOVED: 1_000 }

describe('a statement', () => {
  it.each([
    ['an INSERT', insert(files, folder, sql`WHERE ${isLive('a', 'ada')}`)],
    [
      'an UPDATE',
      sql`UPDATE files SET ${assignments(files, { name: 'y', parent_id: null })} WHERE id = ${'a'}`,
    ],
    ['a move', sql`SELECT ${moveObstacle('a', 'ada', limits)} FROM (${moveOf('a', 'b', 'ada')}) AS move`],
    ['a list of values', sql`SELECT ${shownColumns} FROM files WHERE asset_type IN ${[...assetTypes]}`],
    [
      'a placeholder',
      sql`SELECT ${columnsOf(files, 'item')} FROM ${files} AS item WHERE id = ${sql.placeholder('id')}`,
    ],
    ['fragments', joined([sql`SELECT ${1}`, sql.empty(), sql`SELECT ${null}`], ' ')],
  ])('is rendered as drizzle renders it: %s', (_, statement) => {
    const { sql: text, params } = new SQLiteAsyncDialect().sqlToQuery(statement)
    expect(render(statement)).toEqual({ sql: text, params })
  })

  it.each([
    ['undefined, which drizzle leaves out', undefined],
    ['a column, which would be bound as a value', files.id],
  ])('is rejected when a part is %s', (_, part) => {
    expect(() => render(sql`SELECT 1 WHERE id = ${part}`)).toThrow(
      'a part that is no value after: SELECT 1 WHERE id = ',
    )
  })

  it('that is kept is built once for each shape, and filled for each request', () => {
    const kept = keptStatements()
    let built = 0
    const ask = (shape: string, id: string) =>
      kept(shape, () => sql`SELECT ${sql.raw(`'${++built}'`)} WHERE id = ${sql.placeholder('id')}`, { id })
    expect([ask('a', 'x'), ask('a', 'y'), ask('b', 'z')]).toEqual([
      { sql: "SELECT '1' WHERE id = ?", params: ['x'] },
      { sql: "SELECT '1' WHERE id = ?", params: ['y'] },
      { sql: "SELECT '2' WHERE id = ?", params: ['z'] },
    ])
  })

  it.each([
    ['another text', sql`SELECT 1`, sql`SELECT 2`],
    ['another value', sql`SELECT ${'a'}`, sql`SELECT ${'b'}`],
    ['another slot', sql`SELECT ${sql.placeholder('id')}`, sql`SELECT ${sql.placeholder('name')}`],
  ])('that is kept can’t be taken for one with %s in a test', (_, first, second) => {
    const kept = comparedStatements()
    const values = { id: 'x', name: 'y' }
    kept('shape', () => first, values)
    expect(() => kept('shape', () => second, values)).toThrow('the statement kept as "shape"')
    expect(() => kept('shape', () => first, values)).not.toThrow()
    expect(mistakenStatements()).toHaveLength(1)
  })

  it('that the service keeps is compared at each use', () => {
    const before = countOfComparisons()
    pathTo('a')
    pathTo('b')
    expect(countOfComparisons()).toBe(before + 2)
  })
})
