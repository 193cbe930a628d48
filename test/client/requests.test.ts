import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient, NetworkError, ServiceError } from '#client'
import { createStudio } from '#client/studio'
import { version } from '../../client/package.json' with { type: 'json' }
import { endpoints } from '../support/description.ts'
import { tokenFor } from '../support/identities.ts'
import { origin, serviceWith } from '../support/service.ts'
import { atOnce, losing, methodOf, network, newClient, noting } from './client.ts'

afterEach(() => vi.restoreAllMocks())

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('this has to be refused'),
    (error: unknown) => error,
  )

it('has a method for each operation, and the live inbox for the socket', async () => {
  const client = await newClient()
  const studio = createStudio({ baseUrl: origin, token: 'a' })
  const described = (await endpoints()).filter(({ path }) => path.startsWith('/v1/'))
  const names = described.map(({ operation }) => operation.operationId)
  expect(names.length).toBeGreaterThan(40)
  for (const name of names) expect(() => methodOf(name, client, studio), name).not.toThrow()
})

it('says why in an act of a studio, for the audit, which it lists', async () => {
  const token = await tokenFor('privacy-2', { scope: 'users:erase audit:read' })
  const studio = createStudio({ baseUrl: origin, token, fetch: network() })
  const user_id = `ada-${crypto.randomUUID()}`
  await studio.users.erase({ user_id }, { auditReason: 'Ada’s wish: 100 %' })
  await expect(studio.users.erase({ user_id: '\u0000' }, { auditReason: 'x' })).rejects.toThrow()
  const entries = []
  for await (const entry of studio.audit.list({ actor: 'privacy-2', limit: 1 })) entries.push(entry)
  expect(entries).toMatchObject([
    { action: 'eraseUser', user_id: null, status: 400 },
    { action: 'eraseUser', status: 202 },
  ])
})

describe('what the service says is deprecated', () => {
  const headers = {
    Deprecation: '@1798761600',
    Sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
    Link: '<https://storage.example/guides/upgrading>; rel="deprecation"',
  }
  const deprecating = async (request: Request) => {
    const { body, headers: own } = await network()(request)
    const answer = new Response(body, { status: 200, headers: own })
    answer.headers.set('Content-Type', 'application/json')
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
    return answer
  }

  it('is logged once for each operation, without the ids of things', async () => {
    const messages: string[] = []
    const client = await newClient(deprecating, { onDeprecated: (message) => messages.push(message) })
    const folder = (name: string) => client.files.createFolder({ name })
    const [one, other] = [await folder('a'), await folder('b')]
    for (const { id } of [one, other]) await client.files.get({ id })
    expect(messages).toEqual([
      expect.stringContaining('POST /v1/files is deprecated since 2027-01-01T00:00:00.000Z.'),
      'GET /v1/files/{id} is deprecated since 2027-01-01T00:00:00.000Z. It may stop answering at Sat, 01 Jan 2028 00:00:00 GMT. ' +
        'See <https://storage.example/guides/upgrading>; rel="deprecation"',
    ])
  })

  it('is logged once for each operation, without the ids of users, numbers of versions, and what is no id', async () => {
    const messages: string[] = []
    const client = await newClient(deprecating, { onDeprecated: (message) => messages.push(message) })
    const studio = createStudio({
      baseUrl: origin,
      token: 'a.b.c',
      fetch: deprecating,
      onDeprecated: (message) => messages.push(message),
    })
    for (const user_id of ['ada', 'bob']) await studio.quota.get({ user_id })
    for (const version of [1, 2]) await client.assets.getVersion({ id: 'unknown', version })
    expect(messages.map((message) => message.split(' is deprecated')[0])).toEqual([
      'GET /v1/users/{user_id}/quota',
      'GET /v1/game/assets/{id}/versions/{version}',
    ])
  })

  it('goes to the console unless the application takes it, and nothing is logged of anything else', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await (await newClient()).quota.get()
    expect(log).not.toHaveBeenCalled()
    await (await newClient(deprecating)).quota.get()
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^GET .*is deprecated since/))
  })
})

describe('an error', () => {
  it('has the code, the status and what the service said, and the id of the request', async () => {
    const client = await newClient()
    const error = await caught(client.files.get({ id: 'unknown' }))
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({
      name: 'ServiceError',
      code: 'FILE_NOT_FOUND',
      status: 404,
      request_id: expect.stringMatching(/^[\da-f-]{36}$/),
      message: expect.stringContaining('item'),
      errors: [],
      retry_after: undefined,
    })
  })

  it('names each member that is not valid', async () => {
    const client = await newClient()
    const error = await caught(client.files.list({ limit: 0 }).page())
    expect(error).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ in: 'query', path: '/limit', message: expect.any(String) }],
    })
  })

  it('is a NetworkError, which is no ServiceError, when something else than the service answers', async () => {
    const page = async () =>
      new Response('<html>Sign in to the hotel</html>', { headers: { 'Content-Type': 'text/html' } })
    const client = await newClient(page, { retry: { ...atOnce, attempts: 2 } })
    const error = await caught(client.quota.get())
    expect(error).toBeInstanceOf(NetworkError)
    expect(error).not.toBeInstanceOf(ServiceError)
    const down = await newClient(async () => new Response('bad gateway', { status: 502 }), { retry: atOnce })
    expect(await caught(down.quota.get())).toBeInstanceOf(NetworkError)
  })

  it('is a NetworkError when no answer comes in time', async () => {
    const never = (request: Request) =>
      new Promise<Response>((_, reject) => {
        request.signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    const client = await newClient(never, { timeoutMs: 5, retry: { ...atOnce, attempts: 2 } })
    expect(await caught(client.quota.get())).toMatchObject({
      name: 'NetworkError',
      message: `No answer from ${origin} in 5 ms.`,
    })
  })
})

describe('an ETag', () => {
  const stripping = noting(async (request, next) => {
    const answer = await next(request)
    const response = new Response(answer.body, answer)
    response.headers.delete('ETag')
    return response
  })

  it('that something on the way strips is an error of that name, because no change of others could be told', async () => {
    const client = await newClient(stripping.fetch)
    const { id } = await client.files.createFolder({ name: 'a' })
    const calls = [
      () => client.files.get({ id }),
      () => client.files.edit({ id, name: 'b' }),
      () => client.assets.create({ name: 'a', type: 'world' }),
      () =>
        client.saves.write({ slot: 'auto', bytes: 'one' }).then(() => client.saves.read({ slot: 'auto' })),
    ]
    for (const call of calls) {
      const before = stripping.requests.length
      expect(await caught(call())).toMatchObject({
        name: 'EtagStrippedError',
        message: expect.stringContaining('strips it'),
      })
      expect(stripping.requests.length - before).toBeLessThanOrEqual(2)
    }
  })

  it('that is empty is refused before a request: on the way the header is dropped, and the condition with it', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    for (const ifMatch of ['', ' '])
      for (const call of [
        () => client.files.edit({ id: 'a', name: 'b' }, { ifMatch }),
        () => client.files.delete({ id: 'a' }, { ifMatch }),
        () => client.assets.setPreview({ id: 'a', content: 'a', mime_type: 'image/png' }, { ifMatch }),
        () => client.files.upload({ content: 'a', file_id: 'a' }, { ifMatch }),
        () => client.files.upload({ content: 'a' }, { uploadId: 'a', ifMatch }),
      ])
        await expect(call()).rejects.toThrow(/^ifMatch is empty/)
    expect(requests).toEqual([])
  })
})

describe('a database bookmark', () => {
  it('is sent with the next request, and one of an answer that comes late does not replace a newer', async () => {
    const [early, late] = ['0000-1', '0000-2']
    const release = Promise.withResolvers<void>()
    const { requests, fetch } = noting(async (request) => {
      const isLate = request.url.endsWith('/quota')
      if (isLate) await release.promise
      return Response.json({}, { headers: { 'X-D1-Bookmark': isLate ? early : late, ETag: '"1"' } })
    })
    const client = await newClient(fetch)
    const quota = client.quota.get()
    await client.files.get({ id: 'a' })
    release.resolve()
    await quota
    await client.files.get({ id: 'a' })
    expect(requests.map(({ headers }) => headers.get('X-D1-Bookmark'))).toEqual([null, null, late])
  })
})

describe('a list', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  async function filled() {
    const client = await newClient()
    for (const name of names) await client.files.createFolder({ name })
    return client
  }

  it('is read item by item across its pages, page by page, or one page', async () => {
    const client = await filled()
    const list = client.files.list({ limit: 2 })
    const items: string[] = []
    for await (const { name } of list) items.push(name)
    expect(items).toEqual(names)
    const pages: number[] = []
    for await (const { files } of list.pages()) pages.push(files.length)
    expect(pages).toEqual([2, 2, 1])
    const page = await list.page()
    expect(page.files.map(({ name }) => name)).toEqual(['a', 'b'])
    const next = await client.files.list({ limit: 2, cursor: page.next_cursor ?? '' }).page()
    expect(next.files.map(({ name }) => name)).toEqual(['c', 'd'])
  })

  it('requests nothing before it is read, and no page behind the one where the reader stops', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    for (const name of names) await client.files.createFolder({ name })
    requests.length = 0
    const list = client.files.list({ limit: 2 })
    expect(requests).toHaveLength(0)
    for await (const { name } of list) if (name === 'c') break
    expect(requests).toHaveLength(2)
  })
})

describe('a creation', () => {
  const folder = { name: 'once', asset_type: 'folder' } as const
  const keysOf = (requests: Request[]) => requests.map(({ headers }) => headers.get('Idempotency-Key'))

  it('is repeated with the same Idempotency-Key when its answer is lost, and happens once', async () => {
    const { requests, fetch } = losing(2)
    const client = await newClient(fetch)
    const { id } = await client.files.createFolder(folder)
    expect(requests).toHaveLength(3)
    expect(new Set(keysOf(requests)).size).toBe(1)
    const { files } = await client.files.list().page()
    expect(files.map((file) => file.id)).toEqual([id])
  })

  it('has a key of its own each time, or the one that is given', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    await client.files.createFolder(folder)
    await client.files.createFolder(folder)
    await client.files.createFolder(folder, { idempotencyKey: 'mine' })
    const [first, second, third] = keysOf(requests)
    expect(first).toMatch(/^[\w-]{20,}$/)
    expect(second).not.toBe(first)
    expect(third).toBe('mine')
  })

  it('works without a key for a user who has used too many', async () => {
    const { requests, fetch } = noting((request) =>
      network(serviceWith({ MAX_IDEMPOTENCY_KEYS: '0' }))(request),
    )
    const client = await newClient(fetch)
    expect(await client.files.createFolder(folder)).toMatchObject({ name: 'once' })
    expect(keysOf(requests)).toEqual([expect.any(String), null])
    expect(await caught(client.files.createFolder(folder, { idempotencyKey: 'mine' }))).toMatchObject({
      code: 'LIMIT_REACHED',
      limit: 'idempotency_keys',
    })
  })
})

describe('a request whose answer is lost', () => {
  it('is not repeated when that could do something else', async () => {
    const { requests, fetch } = losing(1, ({ method }) => method === 'PATCH')
    const client = await newClient(fetch)
    const { id } = await client.files.createFolder({ name: 'a' })
    requests.length = 0
    expect(await caught(client.files.edit({ id, name: 'b' }))).toBeInstanceOf(NetworkError)
    expect(requests).toHaveLength(1)
    expect(await client.files.get({ id })).toMatchObject({ file: { name: 'b' } })
  })

  it('is done when it was a deletion, and its repetition finds nothing', async () => {
    const { requests, fetch } = losing(1, ({ method }) => method === 'DELETE')
    const client = await newClient(fetch)
    const { id } = await client.files.createFolder({ name: 'a' })
    requests.length = 0
    await client.files.delete({ id })
    expect(requests).toHaveLength(2)
    expect(await caught(client.files.delete({ id }))).toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  it('is given up after as many attempts as are set', async () => {
    const { requests, fetch } = losing(9)
    const client = await newClient(fetch, { retry: { ...atOnce, attempts: 3 } })
    expect(await caught(client.quota.get())).toBeInstanceOf(NetworkError)
    expect(requests).toHaveLength(3)
  })
})

describe('a service that is busy', () => {
  /** Lets the given waits end at once, and notes them. */
  function skipping(milliseconds: number) {
    const real = globalThis.setTimeout
    const waits: number[] = []
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((act, ms, ...rest) => {
      if (ms === milliseconds) waits.push(ms)
      return real(act, ms === milliseconds ? 0 : ms, ...rest)
    })
    return waits
  }

  /** Requests reach the service with these bindings, until it has refused `count` of them. */
  function refusing(count: number, different: Parameters<typeof serviceWith>[0]) {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    let left = count
    const busy = network(serviceWith(different))
    return noting((request, next) => (left-- > 0 ? busy(request) : next(request)))
  }
  const down = { CALL_TIMEOUT_MS: 'nonsense' }
  const limited = { RATE_LIMITS: 'on', WRITE_LIMIT: { limit: async () => ({ success: false }) } }

  it('is asked again after 503, once Retry-After is over, when repeating is safe', async () => {
    const waits = skipping(60_000)
    const { requests, fetch } = refusing(2, down)
    const client = await newClient(fetch)
    expect(await client.quota.get()).toMatchObject({ used_bytes: 0 })
    expect(requests).toHaveLength(3)
    expect(waits).toEqual([60_000, 60_000])
  })

  it('is not asked again after 503 when that could do something else', async () => {
    const { requests, fetch } = refusing(1, down)
    const client = await newClient(fetch)
    expect(await caught(client.files.edit({ id: 'any', name: 'b' }))).toMatchObject({ status: 503 })
    expect(requests).toHaveLength(1)
  })

  it('is asked again after 429, once Retry-After is over, whatever it was: it had no effect', async () => {
    const waits = skipping(60_000)
    const { requests, fetch } = refusing(1, limited)
    const client = await newClient(fetch)
    expect(await caught(client.files.edit({ id: 'any', name: 'b' }))).toMatchObject({
      code: 'FILE_NOT_FOUND',
    })
    expect(requests).toHaveLength(2)
    expect(waits).toEqual([60_000])
  })

  it('says in retry_after when to ask again, to whoever does not wait', async () => {
    const { fetch } = refusing(1, limited)
    const client = await newClient(fetch, { retry: { attempts: 1 } })
    expect(await caught(client.files.edit({ id: 'any', name: 'b' }))).toMatchObject({
      code: 'RATE_LIMITED',
      retry_after: 60,
    })
  })
})

describe('the token', () => {
  it('comes from a function, before each request', async () => {
    const token = await tokenFor('ada')
    let calls = 0
    const client = createClient({
      baseUrl: origin,
      fetch: network(),
      token: () => {
        calls += 1
        return token
      },
    })
    await client.quota.get()
    await client.quota.get()
    expect(calls).toBe(2)
  })

  it('is asked for once more when it has expired: one new one for all requests that wait for it', async () => {
    const expired = await tokenFor('ada', { exp: Math.floor(Date.now() / 1000) - 3_600 })
    let current = expired
    const asked: boolean[] = []
    const client = createClient({
      baseUrl: origin,
      fetch: network(),
      token: async ({ renew }) => {
        asked.push(renew)
        if (renew) current = await tokenFor('ada')
        return current
      },
    })
    const [quota] = await Promise.all([
      client.quota.get(),
      client.files.list().page(),
      client.inbox.countUnread(),
    ])
    expect(quota).toMatchObject({ used_bytes: 0 })
    expect(asked.filter((renew) => renew)).toHaveLength(1)
  })

  it('is UNAUTHENTICATED when the new one is refused too, and when it is a text', async () => {
    const { requests, fetch } = noting()
    const client = createClient({ baseUrl: origin, fetch, token: () => 'wrong' })
    expect(await caught(client.quota.get())).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    expect(requests).toHaveLength(2)
    const fixed = createClient({ baseUrl: origin, fetch, token: 'wrong' })
    expect(await caught(fixed.quota.get())).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(requests).toHaveLength(3)
  })
})

it('reads what it has written: each request carries the newest bookmark of the answers before it', async () => {
  const { requests, fetch } = noting()
  const client = await newClient(fetch)
  await client.files.createFolder({ name: 'a' })
  await client.files.list().page()
  const [first, second] = requests.map(({ headers }) => headers.get('X-D1-Bookmark'))
  expect(first).toBeNull()
  expect(second).toMatch(/^(DB_\d+:)?[\da-f]{8}-/)
})

it('gives the ETag of an item, which guards a later change', async () => {
  const client = await newClient()
  const { id } = await client.files.createFolder({ name: 'a' })
  const { etag } = await client.files.get({ id })
  const edited = await client.files.edit({ id, name: 'b' }, { ifMatch: etag })
  expect(edited).toMatchObject({ name: 'b', etag: expect.stringMatching(/^"\d+"$/) })
  expect(await caught(client.files.edit({ id, name: 'c' }, { ifMatch: etag }))).toMatchObject({
    code: 'PRECONDITION_FAILED',
  })
  await client.files.delete({ id }, { ifMatch: edited.etag })
})

describe('the User-Agent', () => {
  afterEach(() => vi.unstubAllGlobals())

  it.each([
    ['Node', 'Node.js/24'],
    ['a Worker', 'Cloudflare-Workers'],
    ['React Native', undefined],
  ])('names the client and its version in %s', async (_, agent) => {
    vi.stubGlobal('navigator', { userAgent: agent })
    const { requests, fetch } = noting()
    await (await newClient(fetch)).quota.get()
    expect(requests[0]?.headers.get('User-Agent')).toBe(`edge-game-storage-client/${version}`)
  })

  it('is the browser’s own in a browser, where another header would need another permission', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0' })
    const { requests, fetch } = noting()
    await (await newClient(fetch)).quota.get()
    expect(requests[0]?.headers.get('User-Agent')).toBeNull()
  })
})

describe('a signal', () => {
  it('ends a request that is under way', async () => {
    const cancel = new AbortController()
    const { fetch } = noting(async (request, next) => {
      cancel.abort(new Error('enough'))
      return next(request)
    })
    const client = await newClient(fetch)
    expect(await caught(client.quota.get({ signal: cancel.signal }))).toMatchObject({ message: 'enough' })
  })

  it('lets no request out when it is aborted while the token is made', async () => {
    const cancel = new AbortController()
    const { requests, fetch } = noting(async (request, next) => {
      if (request.signal.aborted) throw new Error('aborted')
      return next(request)
    })
    const token = async () => {
      cancel.abort(new Error('enough'))
      return tokenFor('ada')
    }
    const client = await newClient(fetch, { token })
    expect(await caught(client.files.createFolder({ name: 'a' }, cancel))).toMatchObject({
      message: 'enough',
    })
    expect(requests.filter(({ signal }) => !signal.aborted)).toEqual([])
  })

  it('ends the wait before the next attempt', async () => {
    const cancel = new AbortController()
    const { requests, fetch } = losing(9)
    const client = await newClient(fetch, { retry: { minDelayMs: 1e8, maxDelayMs: 1e8 } })
    const asked = caught(client.quota.get({ signal: cancel.signal }))
    await vi.waitFor(() => expect(requests).toHaveLength(1))
    setTimeout(() => cancel.abort(new Error('enough')))
    expect(await asked).toMatchObject({ message: 'enough' })
    expect(requests).toHaveLength(1)
  })

  it('that is aborted already lets no request out', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const error = await caught(client.quota.get({ signal: AbortSignal.abort(new Error('enough')) }))
    expect(error).toMatchObject({ message: 'enough' })
    expect(requests).toHaveLength(0)
  })
})
