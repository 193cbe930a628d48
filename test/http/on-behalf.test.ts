import { describe, expect, it } from 'vitest'
import { type Answer, made } from '../support/answer.ts'
import { allEndpoints, type Endpoint } from '../support/description.ts'
import { newUserId } from '../support/ids.ts'
import { records } from '../support/records.ts'
import { upgrade } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'
import { requestTo } from './authorisation/ask.ts'
import { estateOf } from './authorisation/estate.ts'
import { type Relation, relations } from './authorisation/relations.ts'
import { type Thing, worldWith } from './authorisation/things.ts'

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const described = await allEndpoints()
const scoped = described.filter(({ operation }) => operation['x-scopes'] !== undefined)
const players = described.filter(({ operation }) => operation['x-scopes'] === undefined)

/** What nobody can do on behalf of a player. */
const NEVER = ['openSocket', 'createReport', 'createAppeal', 'muteUser', 'unmuteUser']
/** The requests that only read, beside GET. */
const READING = ['getDownloadUrls', 'getAssetUrls', 'getUpdates', 'getProfiles']

const isNever = ({ operation }: Endpoint) => NEVER.includes(operation.operationId)
const isRead = ({ method, operation }: Endpoint) =>
  method === 'GET' || READING.includes(operation.operationId)

const REASON = 'Ticket 7: “it’s gone”'
const behalfOf = (user: { id: string }) => ({ 'On-Behalf-Of': encodeURIComponent(user.id) })
const because = (user: { id: string }) => ({ ...behalfOf(user), 'Audit-Reason': encodeURIComponent(REASON) })

const auditor = await operator('audit:read')

/** What somebody did, the newest first. */
async function entriesOf(actor: { id: string }) {
  const query = new URLSearchParams({ actor: actor.id, limit: '100' })
  return made(records.AuditPage, await auditor.get(`/audit?${query}`), 200).entries
}

const cases = players
  .filter((endpoint) => !isNever(endpoint))
  .flatMap((endpoint) =>
    relations
      .filter((row) => nameOf(row) === nameOf(endpoint))
      .map((row) => [`${nameOf(row)}, ${row.thing} ${row.place}`, endpoint, row] as const),
  )

/** A request of Ada's for her own thing. */
function hers(endpoint: Endpoint, { place }: Relation, named: { id: string }) {
  const { method, path, ...sent } = requestTo(endpoint, place, named.id)
  return { method, path, sent }
}

const ID = /[\da-f]{8}-[\da-f]{4}-\d[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g

/** A value without what differs between two worlds: ids, times and signatures. The first id to appear is `id 0`, and so on. */
function alike(value: unknown, { id }: User): unknown {
  const numbers = new Map<string, number>()
  const text = JSON.stringify(value)
    .replaceAll(id, 'ADA')
    .replaceAll(encodeURIComponent(id), 'ADA')
    .replaceAll(/grantee-[\w-]+/g, 'GRANTEE')
    .replaceAll(ID, (found) => {
      if (!numbers.has(found)) numbers.set(found, numbers.size)
      return `id ${numbers.get(found)}`
    })
    .replaceAll(/\?[^"\\ ]*/g, '?')
    .replaceAll(/"(partition|multipart_id|upload_id)":"[^"]*"/g, '"$1":""')
    .replaceAll(/\b1[78]\d{8}(\d{3})?\b/g, '0')
    .replaceAll(/"key":"[\w-]{32}"/g, '"key":""') // of a channel
    .replaceAll(/"written_by":"[^"]*"/g, '"written_by":null') // a save says who wrote it
  return JSON.parse(text)
}

/** What a user has, as in another world: the rows of each table, whichever database has them. */
async function estateIn({ ada }: { ada: User }): Promise<unknown> {
  const [objects, ...databases] = [await estateOf(ada)].flat()
  const [first = [], ...others] = databases.map((tables) => [tables].flat())
  const rows = first.map((_, table) => [first, ...others].flatMap((tables) => [tables[table]].flat()))
  return alike([objects, rows], ada)
}

/** What an answer says, without the headers that differ between any two. */
function saidIn({ status, headers, body, text }: Answer) {
  const own = ['x-request-id', 'x-d1-bookmark', 'server-timing']
  const shown = [...headers].filter(([name]) => !own.includes(name))
  return { status, headers: shown.sort(), body: body ?? text }
}

describe('the description', () => {
  it('has the header at every request of a player’s, but for those that nobody can send for another', () => {
    const has = (name: string) => (endpoint: Endpoint) =>
      endpoint.operation.parameters?.some((parameter) => parameter.name === name) === true
    const wanted = players.filter((endpoint) => !isNever(endpoint)).map(nameOf)
    expect(described.filter(has('On-Behalf-Of')).map(nameOf)).toEqual(wanted)
    expect(players.filter(has('Audit-Reason')).map(nameOf)).toEqual(wanted)
    expect(players.filter(isNever)).toHaveLength(NEVER.length)
  })
})

/** Worlds for requests that change nothing in them, made once for each thing. */
const worlds = new Map<string, ReturnType<typeof worldWith>>()
function unchangedWorld(thing: Thing, whose: 'own' | 'other'): ReturnType<typeof worldWith> {
  const name = `${whose} ${thing}`
  const world = worlds.get(name) ?? worldWith(thing)
  worlds.set(name, world)
  return world
}

describe.each(cases)('%s', (_, endpoint, row) => {
  const { operationId } = endpoint.operation

  it('does on behalf of a player what it does for the player, and leaves one entry', async () => {
    const read = isRead(endpoint)
    const worldFor = (whose: 'own' | 'other') =>
      read ? unchangedWorld(row.thing, whose) : worldWith(row.thing)
    const [own, other] = [await worldFor('own'), await worldFor('other')]
    const own_ = hers(endpoint, row, own.named)
    const expected = await own.ada.request(own_.method, own_.path, own_.sent)
    const support = await operator('players:write')
    const { method, path, sent } = hers(endpoint, row, other.named)
    const answer = await support.request(method, path, { ...sent, headers: because(other.ada) })
    expect(alike(saidIn(answer), other.ada)).toEqual(alike(saidIn(expected), own.ada))
    expect(await estateIn(other)).toEqual(await estateIn(own))
    const isNamed = /\{(id|slot)\}/.test(row.path)
    const wanted = {
      actor: support.id,
      scope: read ? 'players:read' : 'players:write',
      action: operationId,
      user_id: other.ada.id,
      resource: isNamed && !read ? other.named.id : null,
      reason: REASON,
      request_id: answer.headers.get('X-Request-Id'),
      status: answer.status,
    }
    // A read that is refused has read nothing.
    expect(await entriesOf(support)).toMatchObject(read && answer.status >= 400 ? [] : [wanted])
  })

  it('is FORBIDDEN without the scope, and without a reason it changes nothing', async () => {
    const { ada, named } = await unchangedWorld(row.thing, 'own')
    const { method, path, sent } = hers(endpoint, row, named)
    const before = await estateOf(ada)
    const needed = isRead(endpoint) ? 'players:read' : 'players:write'
    const others = ['users:read', 'audit:read', ...(isRead(endpoint) ? [] : ['players:read', 'saves:read'])]
    for (const user of [await signUp('player'), await operator(others.join(' '))]) {
      const answer = await user.request(method, path, { ...sent, headers: because(ada) })
      expect(answer).toBeProblem(403, 'FORBIDDEN', needed)
      expect(answer.headers.get('WWW-Authenticate')).toBe(
        `Bearer error="insufficient_scope", scope="${needed}"`,
      )
      expect(await entriesOf(user)).toEqual([])
    }
    if (!isRead(endpoint)) {
      const support = await operator('players:read players:write')
      const answer = await support.request(method, path, { ...sent, headers: behalfOf(ada) })
      expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/audit-reason')
      expect(await entriesOf(support)).toMatchObject([
        { action: operationId, user_id: ada.id, reason: null, status: 400 },
      ])
    }
    expect(await estateOf(ada)).toEqual(before)
  })
})

describe.each(players.filter(isNever).map((endpoint) => [nameOf(endpoint), endpoint] as const))(
  '%s',
  (_, endpoint) => {
    it('is FORBIDDEN on behalf of a player, whatever the scope', async () => {
      const ada = await signUp('ada')
      const support = await operator('players:read players:write saves:read saves:write')
      const { method, path, json } = requestTo(endpoint, '{user_id}', newUserId())
      const before = await estateOf(ada)
      expect(await support.request(method, path, { json, headers: because(ada) })).toBeProblem(
        403,
        'FORBIDDEN',
      )
      expect(await estateOf(ada)).toEqual(before)
      expect(await entriesOf(support)).toEqual([])
    })
  },
)

it('opens no socket on behalf of a player', async () => {
  const support = await operator('players:read players:write')
  const headers = { Authorization: `Bearer ${support.token}`, ...because({ id: newUserId() }) }
  expect((await upgrade(headers)).status).toBe(403)
})

const allScopes = [...new Set(scoped.flatMap(({ operation }) => operation['x-scopes'] ?? []))]

describe.each(scoped.map((endpoint) => [nameOf(endpoint), endpoint] as const))('%s', (_, endpoint) => {
  it('refuses the header, which no operator’s request takes', async () => {
    const all = await operator([...allScopes, 'players:write'].join(' '))
    const row = relations.find((one) => nameOf(one) === nameOf(endpoint))
    const { method, path, json } = requestTo(endpoint, row?.place ?? '', newUserId())
    const answer = await all.request(method, path, { json, headers: because({ id: newUserId() }) })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/on-behalf-of')
    const support = await operator('players:write')
    expect(await support.request(method, path, { json, headers: because(all) })).toBeProblem(403, 'FORBIDDEN')
  })
})
