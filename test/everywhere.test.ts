import { exports } from 'cloudflare:workers'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { Creator } from './support/creator.ts'
import { type Endpoint, endpoints, type Operation } from './support/description.ts'
import { type Answer, operator, origin, send, tokenFor, type User } from './support/user.ts'
import { variables } from './support/variables.ts'

const all = await endpoints()
const named = (list: Endpoint[]) =>
  list.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const withBody = all.filter(({ operation }) => operation.requestBody)
/** Those whose answer hangs on whose the thing is. A scope opens everybody's: what has one is tested by itself. */
const withId = all.filter(({ path, operation }) => path.includes('{id}') && scopesOf(operation).length === 0)

const unknownId = '019a7e2c-6f7a-7000-8d3c-2b9f4e1a5c60'

/** A body that each operation takes. An operation that is missing here fails its tests: add it. */
const bodies: Record<string, (parent_id?: string) => Record<string, unknown>> = {
  createFolder: (parent_id) => ({ name: 'new', asset_type: 'folder', parent_id }),
  changeFile: (parent_id) => ({ name: 'other', parent_id }),
  startUpload: (parent_id) => ({
    upload_type: 'file',
    name: 'new',
    size_bytes: 1,
    mime_type: 'text/plain',
    parent_id,
  }),
  handOutParts: () => ({ part_numbers: [1] }),
  completeUpload: () => ({}),
  createAsset: () => ({ name: 'new', type: 'world' }),
  changeAsset: () => ({ name: 'other' }),
  restoreAsset: () => ({}),
  branchAsset: () => ({ name: 'branch' }),
  rollBackAsset: () => ({ from_version: 1 }),
  restoreFile: () => ({}),
  createShare: () => ({ grantee_id: 'somebody', permission: 'view' }),
  setQuotaOfUser: () => ({ limit_bytes: 1 }),
  markNotificationsRead: () => ({ notification_ids: [unknownId] }),
  publishNotification: () => ({
    user_id: 'somebody',
    type: 'friend_request',
    data: { from_user_id: 7, from_display_name: 'Bob' },
  }),
}

/** A user whose token has every scope there is, so that the checks behind the scopes are reached. */
async function signUp(): Promise<User> {
  return operator([...new Set(all.flatMap(({ operation }) => scopesOf(operation)))].join(' '))
}

function scopesOf({ security = [] }: Operation): string[] {
  return security.flatMap(({ bearer }) => bearer ?? [])
}

/** An endpoint's path, with an id in it, and something that can be in each other place. */
function filled(path: string, id: string = unknownId): string {
  return path
    .replace('/v1', '')
    .replace('{type}', 'world')
    .replace('{version}', '1')
    .replace(/\{[^}]+\}/, encodeURIComponent(id))
}

function call(
  user: User,
  { method, path, operation }: Endpoint,
  id: string,
  parent_id?: string,
): Promise<Answer> {
  const json = operation.requestBody ? bodies[operation.operationId]?.(parent_id) : undefined
  return user.request(method, filled(path, id), { json })
}

/** An answer as a client can compare it: everything but the request's own id. */
function comparable({ status, headers, text }: Answer): unknown {
  const id = headers.get('X-Request-Id') ?? ''
  const shown = [...headers].filter(([name]) => !['x-request-id', 'x-d1-bookmark'].includes(name))
  return { status, headers: shown, text: text.replace(id, 'REQUEST-ID') }
}

it('describes every endpoint that is served, with an operation id of its own', async () => {
  const ids = all.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining(['listFiles', 'createFolder', 'startUpload', 'completeUpload']))
})

describe.each(named(all))('%s', (_, endpoint) => {
  const { method, path } = endpoint
  const at = `/v1${filled(path)}`
  const now = Math.floor(Date.now() / 1000)
  const part = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '')
  const signed = (claims: Record<string, unknown>, secret = variables.JWT_SECRET) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret))

  const refused: Record<string, () => Promise<Record<string, string>>> = {
    'no token': async () => ({}),
    'another scheme': async () => ({ Authorization: `Basic ${btoa('ada:secret')}` }),
    'no token after Bearer': async () => ({ Authorization: 'Bearer ' }),
    'something that is no JWT': async () => ({ Authorization: 'Bearer not.a.token' }),
    'an expired token': async () => ({ Authorization: `Bearer ${await tokenFor('ada', { exp: now - 1 })}` }),
    'a token that is not valid yet': async () => ({
      Authorization: `Bearer ${await tokenFor('ada', { nbf: now + 600 })}`,
    }),
    'a token signed with another key': async () => ({
      Authorization: `Bearer ${await signed({ sub: 'ada', exp: now + 60 }, 'another secret that is as long as the first')}`,
    }),
    'an unsigned token': async () => ({
      Authorization: `Bearer ${part({ alg: 'none' })}.${part({ sub: 'ada', exp: now + 60 })}.`,
    }),
    'a token without exp': async () => ({ Authorization: `Bearer ${await signed({ sub: 'ada' })}` }),
    'a token without sub': async () => ({ Authorization: `Bearer ${await signed({ exp: now + 60 })}` }),
    'an empty sub': async () => ({ Authorization: `Bearer ${await tokenFor('')}` }),
    'a sub of 129 characters': async () => ({ Authorization: `Bearer ${await tokenFor('x'.repeat(129))}` }),
    'a sub with a control character': async () => ({
      Authorization: `Bearer ${await tokenFor('a\u0000da')}`,
    }),
    'a token in the query': async () => ({}),
  }
  it.each(Object.entries(refused))('refuses %s with 401 and says how to come back', async (name, headers) => {
    const query = name.endsWith('query') ? `?access_token=${await tokenFor('ada')}` : ''
    const sent = await headers()
    const answer = await send(method, at + query, { headers: sent })
    expect(answer).toBeProblem(401, 'UNAUTHENTICATED')
    const wasSent = sent.Authorization !== undefined
    const challenge = wasSent ? /^Bearer error="invalid_token", error_description="[^"]+"$/ : /^Bearer$/
    expect(answer.headers.get('WWW-Authenticate')).toMatch(challenge)
  })

  it('answers a preflight request before it asks for a token', async () => {
    const headers = { Origin: 'https://game.example', 'Access-Control-Request-Method': method }
    const answer = await send('OPTIONS', at, { headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(answer.headers.get('Access-Control-Allow-Methods')).toContain(method)
    expect(answer.headers.get('Access-Control-Allow-Headers')).toContain('Idempotency-Key')
    expect(answer.headers.get('Access-Control-Max-Age')).toBe('86400')
  })

  it('refuses a bookmark that the service did not give out', async () => {
    const ada = await signUp()
    const headers = { 'X-D1-Bookmark': "first'; DROP TABLE files" }
    const json = operationBody(endpoint)
    const answer = await ada.request(method, at.replace('/v1', ''), { headers, json })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/x-d1-bookmark')
  })
})

function operationBody({ operation }: Endpoint): unknown {
  return operation.requestBody ? bodies[operation.operationId]?.() : undefined
}

/** Whether hostile names, sizes and the like mean anything to it: where they don't, they are unknown members. */
function knowsTheirMembers({ operation }: Endpoint): boolean {
  return operation.operationId !== 'markNotificationsRead'
}

describe.each(named(withId))('%s', (_, endpoint) => {
  it('answers for another user’s id, a malformed one and one that was purged as for an unknown one', async () => {
    const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]
    const folder = await bob.folder()
    const file = await bob.file('secret.txt', 'secret')
    const upload = await bob.upload({ size_bytes: 1 })
    const share = await bob.share(file, eve)
    const trashed = await bob.folder()
    await bob.delete(trashed)
    const purged = await ada.folder()
    await ada.delete(purged)
    await ada.purge(purged)
    const unknown = await call(ada, endpoint, unknownId)
    expect(unknown.status).toBe(404)
    const creator = new Creator(bob.id, bob.token)
    const [secret, deleted, blocked] = [
      await creator.asset('secret'),
      await creator.asset('deleted', { visibility: 'public' }),
      await creator.asset('blocked', { visibility: 'public' }),
    ]
    await creator.deleteAsset(deleted)
    await creator.request('PUT', `/game/assets/${blocked.id}/block`)
    const others = [folder, file, upload, share, trashed, purged, secret, deleted, blocked].map(
      ({ id }) => id,
    )
    others.push('x', '..%2F', '\u{1F600}', 'a\u0000b', 'x'.repeat(2_000))
    for (const id of others)
      expect(comparable(await call(ada, endpoint, id)), id).toEqual(comparable(unknown))
  })
})

describe.each(named(withBody))('%s', (_, endpoint) => {
  const { method, path } = endpoint
  const at = filled(path)
  const json = { 'Content-Type': 'application/json' }

  const hostile: Record<string, BodyInit> = {
    'deep nesting': `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)},"asset_type":"folder"}`,
    'an array': '[]',
    'a string': '"name"',
    null: 'null',
    'members of other types':
      '{"name":{},"asset_type":[],"parent_id":7,"is_public":"yes","size_bytes":"1","notification_ids":"all"}',
  }
  const hostileMembers: Record<string, BodyInit> = {
    'a number too large for any': '{"name":1e999,"size_bytes":1e999,"parent_id":1e999}',
    'a prototype':
      '{"__proto__":{"name":"a","asset_type":"folder"},"constructor":{"prototype":{"name":"a"}}}',
    'a NUL in a name': '{"name":"a\\u0000b","asset_type":"folder"}',
    'half a surrogate pair': '{"name":"a\\ud800b","asset_type":"folder"}',
    'a parent id that is half a surrogate pair': '{"name":"a","asset_type":"folder","parent_id":"\\udc00"}',
    'a number beyond 2^53':
      '{"name":"a","asset_type":"file","size_bytes":9007199254740993,"mime_type":"a/b"}',
  }
  const [refused, ignored] = knowsTheirMembers(endpoint) ? [hostileMembers, {}] : [{}, hostileMembers]
  it.each(Object.entries({ ...hostile, ...refused }))(
    'refuses %s, and nothing has changed',
    async (_, body) => {
      const ada = await signUp()
      const answer = await ada.request(method, at, { body, headers: json })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(await ada.names()).toEqual([])
    },
  )
  it.each(Object.entries(ignored))('ignores %s, and nothing has changed', async (_, body) => {
    const ada = await signUp()
    expect((await ada.request(method, at, { body, headers: json })).status).toBe(200)
    expect(await ada.names()).toEqual([])
  })

  const malformed: Record<string, BodyInit> = {
    'half an object': '{"name":"a"',
    'no JSON': 'name=a',
    'a comma too many': '{"name":"a",}',
    'a member that stands twice with two values': '{"name":"a","name":"b","asset_type":"folder"}',
    'bytes that are no UTF-8': new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  }
  it.each(Object.entries(malformed))('refuses %s as MALFORMED_JSON', async (_, body) => {
    const ada = await signUp()
    expect(await ada.request(method, at, { body, headers: json })).toBeProblem(400, 'MALFORMED_JSON')
    expect(await ada.names()).toEqual([])
  })

  it('refuses a body of 64 KiB and one byte, and reads one of 64 KiB', async () => {
    const ada = await signUp()
    const body = (length: number) => `{"x":"${'x'.repeat(length - 8)}"}`
    const tooLarge = await ada.request(method, at, { body: body(65_537), headers: json })
    expect(tooLarge).toBeProblem(413, 'BODY_TOO_LARGE')
    expect((await ada.request(method, at, { body: body(65_536), headers: json })).status).not.toBe(413)
  })

  it('refuses a body of unknown length as soon as it is too large', async () => {
    const ada = await signUp()
    const body = new Blob([' '.repeat(70_000)]).stream()
    expect(await ada.request(method, at, { body, headers: json })).toBeProblem(413, 'BODY_TOO_LARGE')
  })

  it('takes JSON however its type is spelt', async () => {
    const ada = await signUp()
    for (const type of [
      'application/json ; charset=utf-8',
      'application/json;',
      'APPLICATION/JSON',
      'application/vnd.api2+json',
    ])
      expect(
        (await ada.request(method, at, { body: '{', headers: { 'Content-Type': type } })).body,
      ).toMatchObject({
        code: 'MALFORMED_JSON',
      })
    const answers = ['application/json', 'application/json ; charset=utf-8', 'application/json;'].map(
      async (type) => {
        const body = JSON.stringify(operationBody(endpoint))
        const eve = await signUp()
        return (await eve.request(method, at, { body, headers: { 'Content-Type': type } })).status
      },
    )
    expect(new Set(await Promise.all(answers)).size).toBe(1)
  })

  it('refuses other content types', async () => {
    const ada = await signUp()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])
      expect(
        await ada.request(method, at, { body: '{"name":"a"}', headers: { 'Content-Type': type } }),
      ).toBeProblem(415, 'UNSUPPORTED_MEDIA_TYPE')
  })
})

const scoped = all.filter(({ operation }) => scopesOf(operation).length > 0)
describe.each(named(scoped))('%s', (_, endpoint) => {
  it('is FORBIDDEN without each of its scopes, whatever else is wrong, and says which one it takes', async () => {
    const scopes = scopesOf(endpoint.operation)
    for (const missing of scopes) {
      const ada = await operator(['other', ...scopes.filter((scope) => scope !== missing)].join(' '))
      const answer = await call(ada, endpoint, 'somebody')
      expect(answer).toBeProblem(403, 'FORBIDDEN', missing)
      expect(answer.headers.get('WWW-Authenticate')).toContain(
        `error="insufficient_scope", scope="${missing}"`,
      )
      const path = filled(endpoint.path, 'x'.repeat(200))
      const body = endpoint.operation.requestBody ? 'no JSON' : undefined
      expect(await ada.request(endpoint.method, path, { body })).toBeProblem(403, 'FORBIDDEN')
    }
  })
})

/** Whether a path of the description, with its parameters in braces, leads to where another one leads. */
function covers(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path)
}

describe('what is not served', () => {
  it('asks for a token first under /v1', async () => {
    expect(await send('GET', '/v1/nothing')).toBeProblem(401, 'UNAUTHENTICATED')
    expect(await send('PUT', '/v1/files')).toBeProblem(401, 'UNAUTHENTICATED')
  })

  it('is NOT_FOUND', async () => {
    const ada = await signUp()
    for (const path of ['/nothing', '/files/', '/files/a/b/c', '/FILES'])
      expect(await ada.get(path), path).toBeProblem(404, 'NOT_FOUND')
    expect(await send('GET', '/')).toBeProblem(404, 'NOT_FOUND')
    expect(await send('GET', '/nothing')).toBeProblem(404, 'NOT_FOUND')
  })

  const paths = new Set(all.map(({ path }) => path))
  it.each([...paths])('is METHOD_NOT_ALLOWED with the methods that are, on %s', async (path) => {
    const ada = await signUp()
    // A word can stand where another path has an id: DELETE /v1/notifications/read asks for the notification "read".
    const served = all.filter((other) => covers(other.path, path)).map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter(
      (m) => !served.includes(m),
    )) {
      const answer = await ada.request(method, filled(path))
      expect(answer, method).toBeProblem(405, 'METHOD_NOT_ALLOWED')
      const allow = answer.headers
        .get('Allow')
        ?.split(', ')
        .filter((m) => m !== 'HEAD')
      expect(allow?.sort()).toEqual(served.sort())
    }
  })
})

describe('an unknown query parameter', () => {
  it('is ignored, also when it is repeated; a known one that is repeated is refused', async () => {
    const ada = await signUp()
    expect((await ada.get('/files?colour=red&colour=blue')).status).toBe(200)
    expect(await ada.get('/files?limit=1&limit=2')).toBeProblem(400, 'VALIDATION_FAILED', '/limit')
    expect(await ada.get('/files?parent_id=a&parent_id=b')).toBeProblem(
      400,
      'VALIDATION_FAILED',
      '/parent_id',
    )
  })
})

describe('a request id', () => {
  it('is the client’s own where it sends one, and stands in the problem', async () => {
    const answer = await send('GET', '/v1/files', { headers: { 'X-Request-Id': 'client-chose-this-1' } })
    expect(answer.headers.get('X-Request-Id')).toBe('client-chose-this-1')
    expect(answer.body).toMatchObject({ request_id: 'client-chose-this-1' })
  })
})

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    const ada = await signUp()
    const headers = { Authorization: `Bearer ${ada.token}` }
    const response = await exports.default.fetch(
      new Request(`${origin}/v1/files`, { method: 'HEAD', headers }),
    )
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})
