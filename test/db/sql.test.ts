import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type Params, perShape, statement } from '../../src/platform/db/sql.ts'

describe('a statement', () => {
  it('is rendered once, at first use, and filled at each use', () => {
    let built = 0
    const one = statement((p: Params<'id' | 'name'>) => {
      built++
      return sql`SELECT ${p.name}, ${1} WHERE id = ${p.id} OR ${p.id} IS NULL`
    })
    expect(built).toBe(0)
    expect([one({ id: 'a', name: 'x' }), one({ id: 'b', name: null })]).toEqual([
      { sql: 'SELECT ?, ? WHERE id = ? OR ? IS NULL', params: ['x', 1, 'a', 'a'] },
      { sql: 'SELECT ?, ? WHERE id = ? OR ? IS NULL', params: [null, 1, 'b', 'b'] },
    ])
    expect(built).toBe(1)
  })

  it('is made once for each shape', () => {
    let made = 0
    const ofShape = perShape((shape: { sort: string; asset_type?: string | undefined }) => {
      made++
      return statement((p: Params<'id'>) => sql`SELECT ${sql.raw(shape.sort)} WHERE id = ${p.id}`)
    })
    expect(ofShape({ sort: 'name' })({ id: 'a' })).toEqual({ sql: 'SELECT name WHERE id = ?', params: ['a'] })
    expect(ofShape({ sort: 'name', asset_type: undefined })).toBe(ofShape({ sort: 'name' }))
    expect(ofShape({ sort: 'size_bytes' })({ id: 'b' }).sql).toBe('SELECT size_bytes WHERE id = ?')
    expect(made).toBe(2)
  })
})
