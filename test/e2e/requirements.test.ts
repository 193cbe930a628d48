import { describe, expect, it } from 'vitest'
import description from '../../docs/openapi.json' with { type: 'json' }
import operators from '../../docs/openapi.operators.json' with { type: 'json' }
import { errorCodes } from '../../src/errors.ts'
import { citedRows, missingFrom } from './citations.ts'
import { codes, hasContract, parts, plain, quotes, tableLines } from './contract.ts'

const rows = citedRows('docs/conformance.md').map((row) => {
  const [part = '', words = ''] = row.cells
  return { ...row, part, words, name: `${part}: ${words}` }
})
/** What was asked for after the contract: rows that quote an issue, and have the endpoints and codes that it added. */
const isOfIssue = ({ part }: { part: string }) => part.startsWith('Issue ')
const beyond = rows
  .filter(isOfIssue)
  .map(({ words }) => plain(words))
  .join('\n')
const all = rows.map(({ words }) => plain(words)).join('\n')

describe('the table of requirements', () => {
  it('names source files and tests that there are, and a test in each row', () => {
    expect(rows.length).toBeGreaterThan(200)
    for (const row of rows) expect(missingFrom(row), row.name).toEqual([])
  })

  it('has a row for each endpoint', () => {
    const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')
    const quoted = rows.map(({ words }) => nameless(plain(words)))
    const socket = { '/v1/notifications/ws': description.components.pathItems.NotificationSocket }
    for (const [path, operations] of Object.entries({ ...description.paths, ...operators.paths, ...socket }))
      for (const method of Object.keys(operations)) {
        const escaped = nameless(path).replaceAll(/[{}]/g, '\\$&')
        const named = new RegExp(
          `\\b${method.toUpperCase()}\\b.*${escaped}(?![\\w/])|${escaped}(?![\\w/]).*\\b${method.toUpperCase()}\\b`,
        )
        expect(
          quoted.some((words) => named.test(words)),
          `${method} ${path}`,
        ).toBe(true)
      }
  })

  it('knows every error code, and no other', () => {
    const known = Object.keys(errorCodes)
    for (const code of known) expect(all).toMatch(new RegExp(`\\b${code}\\b`))
    if (!hasContract) return
    for (const [code, status] of codes())
      expect(errorCodes, code).toMatchObject({ [code]: [status, expect.any(String), expect.any(String)] })
    const contract = parts()
      .map(({ text }) => text)
      .join('\n')
    for (const code of known) expect(`${contract}\n${beyond}`).toMatch(new RegExp(`\\b${code}\\b`))
  })
})

describe.skipIf(!hasContract)('beside the contract, the table of requirements', () => {
  const contract = hasContract ? parts() : []
  const rowsOf = (part: string) => rows.filter((row) => row.part === part)
  const quoting = rows.filter((row) => !isOfIssue(row))

  it('has a row for each section and each decision, and no part that there is not', () => {
    expect(contract.length).toBeGreaterThan(70)
    for (const { part } of contract) expect(rowsOf(part), part).not.toEqual([])
    expect(new Set(quoting.map(({ part }) => part))).toEqual(new Set(contract.map(({ part }) => part)))
  })

  it('quotes the contract word by word', () => {
    for (const { part, words, name } of quoting)
      expect(
        contract.some((piece) => piece.part === part && quotes(piece.text, words)),
        name,
      ).toBe(true)
  })

  it('has each endpoint, field, transition, error code and limit of the specification in a row of its section', () => {
    for (const piece of contract.filter(({ part }) => part.startsWith('§'))) {
      const words = rowsOf(piece.part).map((row) => row.words)
      const endpoints = [...piece.text.matchAll(/^\*\*([A-Z]+ \/[^*]+)\*\*/gm)].map(
        ([, endpoint = '']) => endpoint,
      )
      for (const endpoint of endpoints) expect(words.join('\n'), piece.part).toContain(endpoint)
      for (const line of tableLines(piece)) {
        const [field = ''] = line.split('|').slice(1)
        const isTold = words.some((said) => quotes(line, said) || plain(said).includes(plain(field)))
        expect(isTold, `${piece.part}: ${line}`).toBe(true)
      }
    }
  })
})
