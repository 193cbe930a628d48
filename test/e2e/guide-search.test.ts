import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Found, find } from '../../pages/find.ts'
import { absent, synonyms } from '../../pages/synonyms.ts'
import { entriesIn, groupsOf } from '../../scripts/pages/groups.ts'
import { guides } from '../../scripts/pages/guides.ts'
import { project, textOf } from './citations.ts'

const index: Found[] = JSON.parse(String(guides().files.get('guides/search.json')))

/** The titles and headings that the search shows first. */
const firstFor = (query: string, count = 3) =>
  find(index, query)
    .found.slice(0, count)
    .map(({ title, heading }) => (title === heading ? title : `${title}: ${heading}`))

it('every guide is in one of the five groups', () => {
  const groups = groupsOf(textOf('docs/README.md'))
  expect(groups.map(({ title }) => title)).toEqual(['Start', 'Build', 'Engines', 'Operate', 'Internals'])
  const pages = readdirSync(`${project}docs`).filter((name) => name.endsWith('.md') && name !== 'README.md')
  const beside = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  const listed = groups.flatMap(entriesIn).map(({ source }) => source)
  expect(listed.toSorted()).toEqual([...pages.map((name) => `docs/${name}`), ...beside].toSorted())
})

it.each([
  ['cloud save', 'Cloud saves'],
  ['savegame', 'Cloud saves'],
  ['how do I resume an upload', 'Uploads: Resume'],
  ['friends', 'Files, the trash and sharing: Sharing'],
  ['push notifications', 'The inbox'],
  ['ban a player', 'Helping players: Block content'],
  ['gdpr', 'Helping players: Erase a user'],
  ['delete account', 'Helping players: Erase a user'],
  ['workshop', 'The catalogue'],
  ['dotnet', 'The first session: In C#'],
  ['unity3d', 'Unity'],
  ['monogame', 'Unity: In MonoGame, or any other program'],
  ['avatar picture', 'Pictures: Profile pictures'],
  ['profile photo', 'Pictures: Profile pictures'],
  ['webhook', 'Events'],
  ['quickstart', 'The first session'],
  ['antivirus', 'The check of content'],
  ['rate limit', 'Errors: RATE_LIMITED'],
  ['QUOTA_EXCEEDED', 'Errors: QUOTA_EXCEEDED'],
  ['presignParts', 'Reference: presignParts, POST /v1/uploads/{id}/parts'],
  ['PUT /v1/profile', 'Reference: setProfile, PUT /v1/profile'],
  ['notif', 'The inbox'],
])('the search for "%s" shows "%s" among the first', (query, wanted) => {
  expect(firstFor(query)).toContain(wanted)
})

it('a query whose words are nowhere together has the sections with most of them', () => {
  const answer = find(index, 'quota zzqx limit')
  expect(answer.has_all_words).toBe(false)
  expect(answer.found[0]?.title).toBe('Quota')
  expect(find(index, 'zzqx').found).toEqual([])
})

it('a query for what the service does not have is told so', () => {
  expect(find(index, 'a leaderboard').absent).toEqual(['Leaderboards'])
  expect(find(index, 'quota').absent).toEqual([])
})

it('every synonym leads to words that the guides have', () => {
  const nowhere = synonyms
    .flatMap(({ means }) => means)
    .filter((word) => find(index, word).found.length === 0)
  expect(nowhere).toEqual([])
  expect(absent.length).toBeGreaterThan(0)
})

it('looks for the beginning of a query that is pasted by mistake', () => {
  const log = 'cloud save '.repeat(10_000)
  expect(find(index, log).found).toEqual(find(index, log.slice(0, 150)).found)
})
