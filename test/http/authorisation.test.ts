import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { announcements, announcer, end } from '../support/announcements.ts'
import { type Answer, comparable, send } from '../support/answer.ts'
import { allEndpoints, type Endpoint, type Operation, publicEndpoints } from '../support/description.ts'
import { tokenFor } from '../support/identities.ts'
import { unknownId } from '../support/ids.ts'
import { routersWithPaths, servedRoutes } from '../support/routes.ts'
import { operator, User } from '../support/user.ts'
import { type Asked, ask, requestTo } from './authorisation/ask.ts'
import { counting, noCalls } from './authorisation/calls.ts'
import { estateOf } from './authorisation/estate.ts'
import { actors, type Relation, relations } from './authorisation/relations.ts'
import { worldWithAll } from './authorisation/things.ts'
import { type Attempt, attemptsAt, loginsFor } from './authorisation/tokens.ts'
import { said, told } from './authorisation/told.ts'

const described = await allEndpoints()
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const named = described.map((endpoint) => [nameOf(endpoint), endpoint] as const)
const scopesOf = (operation: Operation) => operation['x-scopes'] ?? []
const allScopes = [...new Set(described.flatMap(({ operation }) => scopesOf(operation)))]

/** The described routes that need no token: pictures, for anybody (test/profiles, test/assets). */
const tokenless = [
  'GET /pictures/files/{file_id}/{content_id}',
  'GET /pictures/assets/{asset_id}/{preview_id}',
]

/** The endpoint of a row; the table has been compared with what is served. */
function endpointOf(row: Relation): Endpoint {
  const found = described.find((endpoint) => nameOf(endpoint) === nameOf(row))
  if (!found) throw new Error(`not described: ${nameOf(row)}`)
  return found
}

describe('the table of routes', () => {
  it('has what is served under /v1, all of it, and nothing else', () => {
    const routes = servedRoutes.filter((route) => route.includes(' /v1') && !route.startsWith('ALL '))
    expect(new Set(relations.map(nameOf))).toEqual(new Set(routes))
    expect(new Set(described.map(nameOf))).toEqual(new Set(routes))
  })

  it('finds each route by the first segment of its path, and loads no router for another', () => {
    for (const { at, paths } of routersWithPaths) {
      const placesOf = (path: string) => at.filter((place) => `${path}/`.startsWith(`${place}/`))
      for (const path of paths) expect(placesOf(path), path).toHaveLength(1)
      expect(new Set(paths.flatMap(placesOf))).toEqual(new Set(at))
    }
  })

  it('requires a token everywhere but for these pictures', async () => {
    expect((await publicEndpoints()).map(nameOf)).toEqual(tokenless)
    expect(described.filter(({ path }) => !path.startsWith('/v1'))).toEqual([])
  })

  it('is all there is: beside it, pictures, three descriptions, the health, the console, and what every request passes', () => {
    const others = servedRoutes.filter((route) => !route.includes(' /v1') || route.startsWith('ALL '))
    expect(new Set(others)).toEqual(
      new Set([
        'ALL /*',
        'ALL /v1/*',
        'ALL /pictures/*',
        ...tokenless,
        'ALL /health',
        'ALL /console/*',
        'ALL /readyz',
        'GET /health',
        'GET /healthz',
        'GET /readyz',
        'GET /console/*',
        'GET /openapi.json',
        'GET /openapi.operators.json',
        'GET /asyncapi.json',
      ]),
    )
  })

  it('has a row for each place where a request names a thing or a user', () => {
    const rows = relations.map((row) => `${nameOf(row)} ${row.place}`)
    for (const endpoint of described) {
      const { path, operation } = endpoint
      const parameters = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? []
      const members = JSON.stringify(operation.requestBody ?? '').matchAll(/"(\w+_ids?)":/g)
      const places = [
        ...(path.match(/\{\w*id\}/g) ?? []),
        ...parameters.map(({ name }) => `?${name}`).filter((place) => place.endsWith('_id')),
        ...[...members].map(([, name]) => `.${name}`).filter((place) => !namesAnybody.includes(place)),
      ]
      for (const place of places) expect(rows).toContain(`${nameOf(endpoint)} ${place}`)
    }
  })
})

/**
 * Whom something is for, and who causes it, may be anybody, also somebody who doesn't exist yet: a number of the social service's, a `sub`. A
 * `gift_id` is in the example of data of the game's own, in which the service reads nothing.
 */
const namesAnybody = ['.grantee_id', '.sender_id', '.from_user_id', '.gift_id']

/** Ada, with one thing of each kind, and all that comes with something like her token. */
const { ada, named: hers } = await worldWithAll()
const logins = await Promise.all(
  (await loginsFor(ada.id)).map(async (login) => ({ ...login, attempts: await attemptsAt(login, ada.id) })),
)

const studio = await announcer()
/** An announcement comes to each user of the tests after it. */
async function endAnnouncements(): Promise<void> {
  for (const announced of (await announcements(studio)).announcements) await end(studio, announced)
}
await endAnnouncements() // one of hers is an announcement

/** The attempts that each endpoint meets. */
const EVERYWHERE = ['no token', 'signed with another key', 'expired', 'in the query']

/**
 * Those, and one in six of all attempts, others at the next endpoint: `/v1/*` has one check before its routes, so that each attempt
 * meets a dozen endpoints of several routers, and each endpoint a dozen attempts. The socket meets them all.
 */
function attemptsFor(endpoint: Endpoint, attempts: Attempt[]): Attempt[] {
  const turn = described.indexOf(endpoint)
  return attempts.filter(({ name }, index) => EVERYWHERE.includes(name) || (index + turn) % 6 === 0)
}

/** Whether a challenge says what was wrong. */
const isTold = ({ challenge }: { challenge: string }) => challenge.includes('error')

describe.each(logins)('who comes without a good token, where tokens are checked by $name,', (login) => {
  const { service, callsOf } = counting(login.variables)
  let before: unknown
  beforeAll(async () => {
    before = await estateOf(ada)
  })
  afterAll(async () => {
    expect(await estateOf(ada)).toEqual(before)
  })

  it.each(named)('is refused with 401 at %s, and nothing happens', async (_, endpoint) => {
    const attempts = attemptsFor(endpoint, login.attempts)
    const [told, calls] = await callsOf(async () => {
      const told: Record<string, string> = {}
      for (const { name, headers, query } of attempts) {
        const answer = await knock(endpoint, headers, query)
        told[name] = `${said(answer)} ${answer.headers.get('WWW-Authenticate')}`
      }
      return told
    })
    const challenges = attempts.map(({ name, challenge }) => [name, `401 UNAUTHENTICATED ${challenge}`])
    expect(told).toEqual(Object.fromEntries(challenges))
    expect(calls).toEqual(noCalls)
  })

  it('is told the same in the body, in characters that a challenge may hold', async () => {
    for (const { name, headers, query, challenge } of login.attempts.filter(isTold)) {
      const detail = /error_description="([\x20\x21\x23-\x5B\x5D-\x7E]+)"$/.exec(challenge)?.[1]
      expect(detail, name).toBeDefined()
      const { text } = await send('GET', `/v1/quota?${query ?? ''}`, { headers }, service)
      expect(text.replaceAll('\\"', "'"), name).toContain(`"detail":"${detail}"`)
    }
  })

  it.each(named)('could come in with a good one at %s', async (_, endpoint) => {
    const token = await login.signed({ sub: `stranger-${crypto.randomUUID()}` })
    expect((await knock(endpoint, { Authorization: `Bearer ${token}` })).status).not.toBe(401)
  })

  it('is refused at the socket too, wherever the token stands', async () => {
    for (const { name, token, headers, challenge } of login.attempts) {
      const offered = token && { 'Sec-WebSocket-Protocol': `notifications.v1, bearer.${token}` }
      for (const sent of offered ? [headers, offered] : [headers]) {
        const upgrading = { headers: { Upgrade: 'websocket', ...sent } }
        const answer = await send('GET', '/v1/notifications/ws', upgrading, service)
        expect(answer, name).toBeProblem(401, 'UNAUTHENTICATED')
        expect(answer.headers.get('WWW-Authenticate'), name).toBe(challenge)
      }
    }
  })

  it('is refused with the token of a socket anywhere else', async () => {
    const headers = { 'Sec-WebSocket-Protocol': `notifications.v1, bearer.${await login.signed()}` }
    for (const endpoint of described.filter(({ path }) => !path.endsWith('/ws')))
      expect(await knock(endpoint, headers), nameOf(endpoint)).toBeProblem(401, 'UNAUTHENTICATED')
  })

  function knock(endpoint: Endpoint, headers: Record<string, string>, query?: string): Promise<Answer> {
    const { method, path, ...sent } = forHers(endpoint)
    const added = query ? `${path.includes('?') ? '&' : '?'}${query}` : ''
    return send(method, `/v1${path}${added}`, { headers, ...sent }, service)
  }
})

/** A request for Ada's own things, in the words that would do it for her. */
function forHers(endpoint: Endpoint): Asked {
  const row = relations.find((row) => nameOf(row) === nameOf(endpoint))
  return requestTo(endpoint, row?.place ?? '', hers.get(row?.thing ?? '')?.id ?? '')
}

const scoped = described.flatMap((endpoint) =>
  scopesOf(endpoint.operation).map((scope) => [nameOf(endpoint), scope, endpoint] as const),
)
describe.each([
  ['scope', (scope: string) => ({ scope: `x ${scope}` })],
  ['scope, as a list', (scope: string) => ({ scope: ['x', scope] })],
  ['scp', (scope: string) => ({ scp: `x ${scope}` })],
  ['scp, as a list', (scope: string) => ({ scp: ['x', scope] })],
  ['scp, beside a scope of other things', (scope: string) => ({ scope: 'openid', scp: [scope] })],
])('a token that names its scopes in %s', (_, claimsOf) => {
  it('is taken for what it names, and for nothing else', async () => {
    const sub = `operator-${crypto.randomUUID()}`
    const user = new User(sub, await tokenFor(sub, claimsOf('quota:write')))
    expect((await user.get('/users/ada/quota')).status).toBe(200)
    expect(await user.request('DELETE', '/users/ada')).toBeProblem(403, 'FORBIDDEN', 'users:erase')
  })
})

const { service, callsOf } = counting()
describe.each(scoped)(
  '%s is FORBIDDEN without %s, whatever else is wrong, and says so,',
  (_, scope, endpoint) => {
    const others = allScopes.filter((other) => other !== scope).join(' ')
    const like = [`${scope}s`, scope.slice(0, -1), scope.toUpperCase(), scope.replace(':', ' '), `x:${scope}`]
    it.each([
      ['no scope at all', undefined],
      ['every other scope', others],
      ['scopes that are spelt like it', like.join(' ')],
      ['a list of other scopes', [...others.split(' '), ...like, [scope], { scope }]],
      ['a list that has it beside another in one text', [`${scope} x`]],
      ['tabs where blanks belong', `\t${scope}\t`],
    ])('with %s', async (_, claimed) => {
      const sub = `operator-${crypto.randomUUID()}`
      const user = new User(sub, await tokenFor(sub, { scope: claimed }), service)
      const { method, path, json } = forHers(endpoint)
      const wrong = requestTo(endpoint, '', '', 'x'.repeat(200))
      const [[answer, toWrong], calls] = await callsOf(async () => [
        await user.request(method, path, { json }),
        await user.request(method, wrong.path, { body: json && 'no JSON' }),
      ])
      expect(answer).toBeProblem(403, 'FORBIDDEN', scope)
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
      expect(answer?.headers.get('WWW-Authenticate')).toBe(challenge)
      expect(toWrong).toBeProblem(403, 'FORBIDDEN')
      expect(calls).toEqual(noCalls)
    })
  },
)

const rows = relations.map((row) => [`${nameOf(row)}, ${row.thing} ${row.place}`, row] as const)
describe.each(rows)('%s', (_, row) => {
  it.each(actors.filter((actor) => row.answers[actor]))(
    'answers the %s as the table says, and does no more',
    async (actor) => {
      const { status, code, effect } = row.answers[actor] ?? {}
      expect(await told(row, endpointOf(row), actor, allScopes.join(' '))).toBe(
        [status, code, effect].filter(Boolean).join(' '),
      )
      if (row.path.startsWith('/v1/announcements')) await endAnnouncements()
    },
  )
})

/** Those whose answer hangs on whose the thing is. A scope opens everybody's. */
const withId = named.filter(
  ([, { path, operation }]) => path.includes('{id}') && scopesOf(operation).length === 0,
)
/** Bob, who can do all that a scope lets him, and an item that he has purged. */
const bob = await operator(allScopes.join(' '))
const purged = await bob.folder()
await bob.delete(purged)
await bob.purge(purged)
/**
 * Each of Ada's things at a third of the endpoints, others at the next: the table has asked for those of the endpoint's own kind.
 */
describe.each(withId)('%s', (_, endpoint) => {
  it('answers for whatever is not the caller’s, or no id at all, as for an unknown one', async () => {
    const unknown = await ask(bob, endpoint, { place: '{id}', id: unknownId })
    expect(unknown.status).toBe(404)
    const turn = described.indexOf(endpoint)
    const others = [...hers.values()].filter((_, index) => (index + turn) % 3 === 0)
    const ids = [purged, ...others].map(({ id }) => id)
    for (const id of [...ids, 'x', '..%2F', '\u{1F600}', 'a\u0000b', 'x'.repeat(2_000)])
      expect(comparable(await ask(bob, endpoint, { place: '{id}', id })), id).toEqual(comparable(unknown))
  })
})
