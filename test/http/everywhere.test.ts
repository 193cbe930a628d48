import { describe, expect, it } from 'vitest'
import { send } from '../support/answer.ts'
import { bodies, byteBodies, queries } from '../support/bodies.ts'
import { allEndpoints, type Endpoint, type Operation } from '../support/description.ts'
import { unknownId } from '../support/ids.ts'
import { origin, service } from '../support/service.ts'
import { operator, type User } from '../support/user.ts'

const all = await allEndpoints()
const named = (list: readonly Endpoint[]) =>
  list.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const withBody = all.filter(({ operation }) => operation.requestBody?.content['application/json'])
const withBytes = all.filter(({ operation }) => operation.requestBody?.content['*/*'])
const withQuery = all.filter((endpoint) => queryOf(endpoint).length > 0)

/** A user whose token has every scope there is, so that the checks behind the scopes are reached. */
async function signUp(): Promise<User> {
  return operator([...new Set(all.flatMap(({ operation }) => scopesOf(operation)))].join(' '))
}

function scopesOf(operation: Operation): string[] {
  return operation['x-scopes'] ?? []
}

/** An endpoint's path, with an id in it, and something that can be in each other place. */
function filled(path: string, id: string = unknownId): string {
  return path
    .replace('/v1', '')
    .replace('{type}', 'world')
    .replace('{version}', '1')
    .replace('{channel}', 'beta')
    .replace(/\{[^}]+\}/, encodeURIComponent(id))
}

it('describes every endpoint with an operation id of its own', async () => {
  const ids = all.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining(['listFiles', 'createFolder', 'startUpload', 'completeUpload']))
})

it('takes an Idempotency-Key wherever something is created', async () => {
  const takesKey = ({ parameters = [] }: Operation) =>
    parameters.some(({ name }) => name === 'Idempotency-Key')
  // A batch creates with outcomes of their own, so it answers 200. A write of a save creates a revision.
  const others = ['publishNotifications', 'writeSave']
  // A thing has one case, and a decision one appeal: a repetition finds it.
  const once = ['openCase', 'createAppeal']
  const creating = all.filter(
    ({ method, operation: { operationId, responses } }) =>
      (method === 'POST' && responses[201] !== undefined && !once.includes(operationId)) ||
      others.includes(operationId),
  )
  expect(all.filter(({ operation }) => takesKey(operation))).toEqual(creating)
  expect(creating.length).toBeGreaterThan(0)
})

describe.each(named(all))('%s', (_, endpoint) => {
  const { method, path } = endpoint
  const at = `/v1${filled(path)}`

  it('answers a preflight request before it asks for a token', async () => {
    const headers = { Origin: 'https://game.example', 'Access-Control-Request-Method': method }
    const answer = await send('OPTIONS', at, { headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(answer.headers.get('Access-Control-Allow-Methods')).toContain(method)
    const allowed =
      'Authorization,Audit-Reason,Content-Type,Content-Digest,Idempotency-Key,If-Match,If-None-Match,On-Behalf-Of,Save-Device,Save-Label,Save-Played-Seconds,X-D1-Bookmark,X-Request-Id,traceparent,tracestate,baggage,sentry-trace'
    expect(answer.headers.get('Access-Control-Allow-Headers')).toBe(allowed)
    expect(answer.headers.get('Access-Control-Max-Age')).toBe('86400')
  })

  it('refuses a bookmark that the service did not give out', async () => {
    const ada = await signUp()
    const headers = { 'X-D1-Bookmark': "first'; DROP TABLE files" }
    const json = operationBody(endpoint)
    const answer = await ada.request(method, at.replace('/v1', '') + requiredQuery(endpoint), {
      headers,
      json,
    })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/x-d1-bookmark')
  })
})

/** Percent-encoding that no text has: cut short, no hexadecimal, no UTF-8, half of a surrogate pair. A path meets two of them. */
const malformedEncodings = ['%E0%A4%A', '%', 'a%zz', '%FF', '%C0%AF', '%ED%A0%80']

describe.each(named(all))('%s', (_, endpoint) => {
  const { method, path } = endpoint
  // Each parameter of the path is malformed once; a path without any ends with it.
  const parameters = path.match(/\{[^}]+\}/g) ?? ['']
  const at = (encoding: string) =>
    parameters.map((parameter) =>
      parameter === '' ? filled(path) + encoding : filled(path.replace(parameter, encoding)),
    )

  it('refuses malformed percent-encoding in its path, after the token', async () => {
    const ada = await signUp()
    const json = operationBody(endpoint)
    const turn = all.indexOf(endpoint)
    const some = malformedEncodings.filter((_, index) => (index + turn) % 3 === 0)
    for (const malformed of some.flatMap(at)) {
      expect(await send(method, `/v1${malformed}`), malformed).toBeProblem(401, 'UNAUTHENTICATED')
      const answer = await ada.request(method, malformed + requiredQuery(endpoint), { json })
      expect(answer, malformed).toBeProblem(400, 'VALIDATION_FAILED', '"in":"path"')
    }
  })
})

/** The parameters of the query. */
function queryOf({ operation: { parameters = [] } }: Endpoint) {
  return parameters.filter(({ in: place }) => place === 'query')
}

/** The codes of parameters whose wrong values have one of their own. */
const ownCodes = new Map([
  ['createContent name', 'FILE_INVALID_NAME'],
  ['listAssets type', 'INVALID_ASSET_TYPE'],
  ['browseAssets type', 'INVALID_ASSET_TYPE'],
])

describe.each(named(withQuery))('%s', (_, endpoint) => {
  const { method, path, operation } = endpoint

  /** Sends the parameter as it is written here, and what else the operation needs. */
  async function ask(name: string, written: string) {
    const others = { ...queries[operation.operationId] }
    delete others[name]
    const query = [written, new URLSearchParams(others)].join('&')
    const json = operationBody(endpoint)
    return (await signUp()).request(method, `${filled(path)}?${query}`, { json })
  }

  it.each(queryOf(endpoint))('refuses malformed percent-encoding of $name', async ({ name }) => {
    const code = ownCodes.get(`${operation.operationId} ${name}`) ?? 'VALIDATION_FAILED'
    for (const malformed of [...malformedEncodings, 'caf%E9', '%u00e9']) {
      const answer = await ask(name, `${name}=${malformed}`)
      expect(answer, malformed).toBeProblem(400, code, `"in":"query","path":"/${name}"`)
      expect(answer.text, malformed).toContain('must be UTF-8 in percent-encoding')
    }
  })

  const single = queryOf(endpoint).filter(({ schema }) => schema?.type !== 'array')
  it.each(single)('says that $name is repeated', async ({ name }) => {
    const answer = await ask(name, `${name}=1&${name}=2`)
    const code = ownCodes.get(`${operation.operationId} ${name}`) ?? 'VALIDATION_FAILED'
    expect(answer).toBeProblem(400, code, `"path":"/${name}"`)
    expect(answer.text).toContain('must be sent once: it is here 2 times')
  })
})

describe.each(named(withBytes))('%s', (_, { method, path, operation }) => {
  const [body] = [byteBodies[operation.operationId] ?? new TextEncoder().encode('bytes')]
  const query = new URLSearchParams(queries[operation.operationId])

  async function refused(headers: Record<string, string>) {
    const ada = await signUp()
    const answer = await ada.request(method, `${filled(path)}?${query}`, {
      body,
      headers: { 'Content-Type': 'image/png', ...headers },
    })
    expect(await ada.names()).toEqual([])
    expect((await ada.get('/saves')).body).toMatchObject({ saves: [] })
    return answer
  }

  it('takes no piece of the content for the whole', async () => {
    for (const range of ['bytes 0-4/10', 'bytes 0-4/*', 'x'])
      expect(await refused({ 'Content-Range': range })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/content-range',
      )
  })

  it('takes no form for the content', async () => {
    for (const type of ['multipart/form-data; boundary=x', 'Multipart/Form-Data'])
      expect(await refused({ 'Content-Type': type })).toBeProblem(415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it('takes the bytes that Content-Digest names and no others', async () => {
    expect(operation.parameters?.map(({ name }) => name)).toContain('Content-Digest')
    const digest = async (bytes: BodyInit) => {
      const hash = await crypto.subtle.digest('SHA-256', await new Response(bytes).arrayBuffer())
      return { 'Content-Digest': `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(hash)))}:` }
    }
    expect(await refused(await digest('others'))).toBeProblem(422, 'UPLOAD_MISMATCH')
    expect(await refused({ 'Content-Digest': 'sha-256=abc' })).toBeProblem(
      400,
      'VALIDATION_FAILED',
      '/content-digest',
    )
    const ada = await signUp()
    const headers = { 'Content-Type': 'image/png', ...(await digest(body)) }
    const answer = await ada.request(method, `${filled(path)}?${query}`, { body, headers })
    expect([201, 404]).toContain(answer.status)
  })
})

describe.each(named([...withBody, ...withBytes]))('%s', (_, { method, path, operation }) => {
  it('refuses a body in a content coding, and says that it takes none', async () => {
    const ada = await signUp()
    const at = `${filled(path)}?${new URLSearchParams(queries[operation.operationId])}`
    for (const coding of ['gzip', 'br', 'identity, gzip', 'x']) {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding }
      const answer = await ada.request(method, at, { body: '{}', headers })
      expect(answer, coding).toBeProblem(415, 'UNSUPPORTED_MEDIA_TYPE')
      expect(answer.headers.get('Accept-Encoding')).toBe('identity')
    }
    expect(await ada.names()).toEqual([])
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'Identity' }
    expect((await ada.request(method, at, { body: '{}', headers })).status).not.toBe(415)
  })
})

it('takes JSON or bytes wherever it takes a body', () => {
  expect(all.filter(({ operation }) => operation.requestBody)).toHaveLength(
    withBody.length + withBytes.length,
  )
})

/** The bodies with an object of the game's own, and its name. */
const withGameData = withBody.flatMap((endpoint) => {
  const { properties = {} } = endpoint.operation.requestBody?.content['application/json']?.schema ?? {}
  return ['data', 'metadata'].filter((name) => name in properties).map((member) => ({ ...endpoint, member }))
})

/** Integers that answers would have with other digits, or that are beyond all doubles. */
const unheld = [
  '76561198000000001',
  '-9007199254740993',
  '1152921504606846977',
  '76561198000000001.0',
  '7656119800000000100e-2',
  '1e400',
  '-1e400',
  `1${'0'.repeat(100)}1`,
]
const held = ['1.0', '-0', '1e23', '0.1', '1e-400', '9007199254740992', '1.5e308', '0.12345678901234567890']

/** Lists within an object, with this many levels in all. */
const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

it('knows the bodies with an object of the game’s own', () => {
  expect(withGameData.map(({ operation, member }) => `${operation.operationId} ${member}`).sort()).toEqual([
    'createAsset metadata',
    'editAsset metadata',
    'publishAnnouncement data',
    'publishNotification data',
    'publishNotifications data',
  ])
})

describe.each(withGameData)('$member of $method $path', ({ method, path, operation, member }) => {
  async function sent(data: string) {
    const type = member === 'data' ? { type: 'shop.gift' } : {}
    const json = { ...bodies[operation.operationId]?.(), ...type, [member]: '@' }
    const body = JSON.stringify(json).replace('"@"', data)
    const headers = { 'Content-Type': 'application/json' }
    return (await signUp()).request(method, filled(path), { body, headers })
  }

  it('takes no integer that would come back as another, and says to send it as a string', async () => {
    for (const digits of unheld)
      for (const data of [`{"id":${digits}}`, `{"a":[{"id":${digits}}]}`]) {
        const answer = await sent(data)
        expect(answer, data).toBeProblem(400, 'VALIDATION_FAILED', `"path":"/${member}"`)
        expect(answer.text, data).toMatch(/send -?[0-9.e-]+…? as a string/)
      }
    for (const digits of held)
      expect([200, 201, 404], digits).toContain((await sent(`{"n":${digits}}`)).status)
  })

  it('has 64 levels at most', async () => {
    expect([200, 201, 404]).toContain((await sent(nested(64))).status)
    for (const levels of [65, 66, 1_000])
      expect(await sent(nested(levels)), `${levels}`).toBeProblem(
        400,
        'VALIDATION_FAILED',
        'at most 64 levels',
      )
  })
})

function requiredQuery({ operation: { operationId, parameters = [] } }: Endpoint): string {
  const required = parameters.filter(({ in: place, required }) => place === 'query' && required)
  return required.length > 0
    ? `?${required.map(({ name }) => `${name}=${queries[operationId]?.[name] ?? 'x'}`).join('&')}`
    : ''
}

function operationBody({ operation }: Endpoint): unknown {
  return operation.requestBody ? bodies[operation.operationId]?.() : undefined
}

/** Whether hostile names, sizes and the like mean anything to it: where they don't, they are unknown members. */
function knowsTheirMembers({ operation }: Endpoint): boolean {
  return operation.operationId !== 'markNotificationsRead'
}

describe.each(named(withBody))('%s', (_, endpoint) => {
  const { method, path } = endpoint
  const at = filled(path)
  const json = { 'Content-Type': 'application/json' }

  const hostile: Record<string, BodyInit> = {
    'deep nesting': `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)},"asset_type":"folder"}`,
    'nesting in an unknown member': `{"x":${'['.repeat(65)}${']'.repeat(65)},"name":"a","asset_type":"folder"}`,
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

  // Lists of parts may be longer.
  const MAX_BYTES = /\/(parts|complete)$/.test(path) ? 1024 ** 2 : 64 * 1024

  it('refuses a body of 64 KiB (1 MiB for parts) and one byte, and reads one of 64 KiB', async () => {
    const ada = await signUp()
    const body = (length: number) => `{"x":"${'x'.repeat(length - 8)}"}`
    const tooLarge = await ada.request(method, at, { body: body(MAX_BYTES + 1), headers: json })
    expect(tooLarge).toBeProblem(413, 'BODY_TOO_LARGE')
    expect((await ada.request(method, at, { body: body(MAX_BYTES), headers: json })).status).not.toBe(413)
  })

  it('refuses a body of unknown length as soon as it is too large', async () => {
    const ada = await signUp()
    const body = new Blob([' '.repeat(MAX_BYTES + 5_000)]).stream()
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

/** Whether a path of the description, with its parameters in braces, leads to where another one leads. */
function covers(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path)
}

describe('what is not served', () => {
  it('asks for a token first under /v1', async () => {
    expect(await send('GET', '/v1/nothing')).toBeProblem(401, 'UNAUTHENTICATED')
    expect(await send('PUT', '/v1/files')).toBeProblem(401, 'UNAUTHENTICATED')
  })

  it('is NOT_FOUND', { tags: 'runtime' }, async () => {
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

describe('a path with malformed percent-encoding that nothing serves', () => {
  it('is VALIDATION_FAILED too, also with a method that is not served', async () => {
    const ada = await signUp()
    for (const path of ['/%', '/files/%FF/%', '/nothing/%E0%A4%A'])
      expect(await ada.get(path), path).toBeProblem(400, 'VALIDATION_FAILED', '"in":"path"')
    expect(await ada.request('PROPFIND', '/files/%FF')).toBeProblem(400, 'VALIDATION_FAILED')
    for (const path of ['/%', '/nothing/%FF', '/health%E0%A4%A'])
      expect(await send('GET', path), path).toBeProblem(400, 'VALIDATION_FAILED')
  })

  it('is another one than the same path with its percent signs encoded', async () => {
    const ada = await signUp()
    expect(await ada.get('/files/%25FF')).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await ada.get('/files?name=%FF')).toMatchObject({ status: 200 })
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

describe('a refusal', () => {
  it('is a problem document with these members and no other, and its id in the header', async () => {
    const ada = await signUp()
    const answer = await ada.get('/files?limit=0')
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
    expect(answer.body).toEqual({
      type: 'urn:problem:VALIDATION_FAILED',
      title: 'The request is not valid',
      status: 400,
      detail: expect.stringContaining('limit: must be a whole number from 1 to 500'),
      code: 'VALIDATION_FAILED',
      request_id: answer.headers.get('X-Request-Id'),
      errors: [{ in: 'query', path: '/limit', message: expect.any(String) }],
    })
    const [unknown, id] = [await ada.get(`/files/${unknownId}`), expect.any(String)]
    const [title, detail] = ['The item does not exist', 'The item does not exist.']
    const type = 'urn:problem:FILE_NOT_FOUND'
    expect(unknown.body).toEqual({ type, title, status: 404, detail, code: 'FILE_NOT_FOUND', request_id: id })
  })
})

describe('every answer under /v1', () => {
  it('carries an id of its own and is kept by no cache, whatever it says', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    const answers = [
      await ada.get('/files'),
      await ada.createFolder({ name: 'a', asset_type: 'folder' }),
      await ada.delete(folder),
      await ada.get('/files?limit=0'),
      await ada.get('/nothing'),
      await ada.request('PUT', '/files'),
      await ada.get('/notifications/ws'),
      await send('GET', '/v1/files'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 204, 400, 404, 405, 426, 401])
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id'))
    expect(ids).not.toContain(null)
    expect(new Set(ids).size).toBe(answers.length)
    expect(new Set(answers.map(({ headers }) => headers.get('Cache-Control')))).toEqual(new Set(['no-store']))
  })
})

describe('every answer beside /v1', () => {
  it.each([
    ['/openapi.json', 200],
    ['/asyncapi.json', 200],
    ['/healthz', 200],
    ['/health', 200],
    ['/readyz', 200],
    ['/nothing', 404],
  ])('is kept by no cache: %s', async (path, status) => {
    const answer = await service(new Request(`${origin}${path}`))
    expect(answer.status).toBe(status)
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('a request id', () => {
  it('is the service’s own, whatever the client sends, and stands in the problem', async () => {
    const headers = { 'X-Request-Id': 'client-chose-this-1' }
    const answers = [await send('GET', '/v1/files', { headers }), await send('GET', '/v1/files', { headers })]
    const ids = answers.map((answer) => answer.headers.get('X-Request-Id'))
    expect(new Set([...ids, 'client-chose-this-1']).size).toBe(3)
    for (const [at, { body }] of answers.entries()) expect(body).toMatchObject({ request_id: ids[at] })
  })
})

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    const ada = await signUp()
    const headers = { Authorization: `Bearer ${ada.token}` }
    const response = await service(new Request(`${origin}/v1/files`, { method: 'HEAD', headers }))
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})
