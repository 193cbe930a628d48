import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import description from '../../docs/openapi.json' with { type: 'json' }
import operators from '../../docs/openapi.operators.json' with { type: 'json' }
import { statusOfCode } from '../support/exposed.ts'
import { citedRows, missingFrom, project } from './citations.ts'

const rows = citedRows('docs/conformance.md').map((row) => {
  const [requirement = '', sections = ''] = row.cells
  return {
    ...row,
    sections: sections === '' ? [] : sections.split(', '),
    words: requirement.replaceAll('`', ''),
    name: `${row.heading}: ${requirement}`,
  }
})

const wordsOf = (section: string) =>
  rows.filter(({ sections }) => sections.includes(section)).map(({ words }) => words)

/** The sections of the contract, as the second column of the tables in docs/conformance.md has them. */
const contract = [
  ...['§1', '§2.1', '§2.2', '§2.3', '§2.4', '§2.5', '§2.6', '§2.7', '§2.8', '§3.1', '§3.2', '§3.3', '§3.4'],
  ...['§3.5', '§4', '§4.1', '§4.2', '§4.3', '§4.4', '§4.5', '§4.6', '§5', '§6', '§7', '§8', '§9'],
]

/** What is decided or added beside the contract: the headings of docs/conformance.md. */
const topics = [
  ...['Conventions', 'Access tokens', 'Files', 'Trash', 'Shares', 'Quota and limits', 'Uploads'],
  ...[
    'Game assets',
    'Releases',
    'Previews',
    'Notifications',
    'For those who run it',
    'Profiles',
    'Favorites',
    'Events',
  ],
  ...[
    'Small content in one request',
    'Many at once',
    'Saves',
    'Safety',
    'Muted players',
    'Recalls of saves',
    'Announcements',
    'Content check',
    'Error codes',
  ],
]

const { schemas } = description.components

/** The sections that list the members of a record, with the members that the description has. */
const records = {
  '§2.1': { ...schemas.ChangedFile.properties, ...schemas.FileRecord.allOf[1]?.properties },
  '§2.2': schemas.Ancestor.properties,
  '§2.3': schemas.Share.properties,
  '§2.4': schemas.DownloadUrl.properties,
  '§2.5': schemas.Quota.properties,
  '§2.6': { ...schemas.GameAssetSummary.properties, ...schemas.GameAsset.allOf[1]?.properties },
  '§2.7': schemas.AssetVersion.properties,
  '§2.8': { ...schemas.Notification.properties, ...schemas.NotificationData.properties },
}

/** Members of records that the contract has not: their rows are below other headings of docs/conformance.md. */
const added = ['blocked', 'shared']

/** The names of the variables, out of the page that is generated from them. */
const variables = () =>
  [...readFileSync(`${project}docs/configuration.md`, 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, name = '']) => name,
  )

/** The error codes that a sentence names, each with its status: `A and B are 409`, `C is 404`, `D (413)`. */
function statusesIn(words: string): [code: string, status: number][] {
  const clauses = words.split(/[;:]/).map((clause) => /^(.*?)\b(?:is|are) (\d{3})\b/.exec(clause))
  const told = clauses.flatMap((clause) =>
    codesIn(clause?.[1] ?? '').map((code): [string, number] => [code, Number(clause?.[2])]),
  )
  const bracketed = [...words.matchAll(/\b([A-Z]+(?:_[A-Z]+)+) \((\d{3})\)/g)]
  return [...told, ...bracketed.map(([, code = '', status]): [string, number] => [code, Number(status)])]
}

const codesIn = (words: string) => words.match(/\b[A-Z]{2,}(?:_[A-Z]+)*\b/g) ?? []

describe('the table of requirements', () => {
  it('names tests that there are, one in each row at least', () => {
    expect(rows.length).toBeGreaterThan(250)
    for (const row of rows) expect(missingFrom(row), row.name).toEqual([])
  })

  it('has a row for each section of the contract and for each topic, and no other', () => {
    expect(new Set(rows.flatMap(({ sections }) => sections))).toEqual(new Set(contract))
    expect(new Set(rows.map(({ heading }) => heading))).toEqual(new Set(topics))
  })

  it('has a row for each endpoint', () => {
    const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')
    const told = rows.map(({ words }) => nameless(words))
    const socket = { '/v1/notifications/ws': description.components.pathItems.NotificationSocket }
    for (const [path, operations] of Object.entries({ ...description.paths, ...operators.paths, ...socket }))
      for (const method of Object.keys(operations)) {
        const escaped = nameless(path).replaceAll(/[{}]/g, '\\$&')
        const named = new RegExp(`\\b${method.toUpperCase()} ${escaped}(?![\\w/])`)
        expect(
          told.some((words) => named.test(words)),
          `${method} ${path}`,
        ).toBe(true)
      }
  })

  it.each(Object.entries(records))('has each member of the record in %s', (section, properties) => {
    const members = Object.keys(properties).filter((member) => !added.includes(member))
    expect(members.length).toBeGreaterThan(1)
    const words = wordsOf(section).join('\n')
    for (const member of members) expect(words).toMatch(new RegExp(`\\b${member}\\b`))
  })

  it('knows every error code, and no other', () => {
    const told = new Set(rows.flatMap(({ words }) => codesIn(words)))
    for (const code of statusOfCode.keys()) expect(told).toContain(code)
    const names = new Set([...statusOfCode.keys(), ...variables()])
    expect([...told].filter((name) => name.includes('_') && !names.has(name))).toEqual([])
  })

  it('gives each error code the status that it has', () => {
    const statuses = rows.flatMap(({ words }) => statusesIn(words))
    expect(statuses.length).toBeGreaterThan(30)
    expect(statuses.filter(([code, status]) => statusOfCode.get(code) !== status)).toEqual([])
  })
})
