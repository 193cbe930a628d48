import { expect, it } from 'vitest'
import { citedRows, missingFrom } from './citations.ts'

const rows = citedRows('SECURITY.md').map((row) => ({ ...row, name: row.cells[0] ?? '' }))

it('names tests that there are', () => {
  expect(rows.length).toBeGreaterThan(30)
  for (const row of rows) expect(missingFrom(row), row.name).toEqual([])
})

it('has an answer to each risk of OWASP’s list, and to each section of RFC 8725 that is about what we take', () => {
  const risks = rows.map(({ name }) => name).join('\n')
  for (let risk = 1; risk <= 10; risk++) expect(risks).toMatch(new RegExp(`\\bAPI${risk}\\b`))
  for (const section of [1, 2, 3, 4, 5, 8, 9, 10, 12]) expect(risks).toMatch(new RegExp(`§3\\.${section}\\b`))
})
