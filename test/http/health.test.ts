import { env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { overridden } from '../support/meter.ts'
import { type Fetch, origin, service, serviceWith } from '../support/service.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A database that counts the queries it gets, and answers them with `respond`. */
function database(respond: () => unknown) {
  const queries: string[] = []
  const binding = overridden(env.DB, {
    withSession: () =>
      overridden(env.DB.withSession(), {
        prepare: (query: string) => {
          queries.push(query)
          return { bind: () => ({ all: async () => respond() }) }
        },
      }),
  })
  return { binding, queries }
}

/** Variables as a deployment has them. */
const deployed = {
  DEVELOPMENT: undefined,
  S3_ENDPOINT: 'https://account.r2.example',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
}

const healthOf = (reach: Fetch, method = 'GET') => reach(new Request(`${origin}/health`, { method }))

describe('GET /health', () => {
  it('is 200 without a token when the database answers, and is not cached', { tags: 'runtime' }, async () => {
    const answer = await healthOf(service)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(await answer.json()).toEqual({ status: 'ok', development: true, console: true })
    expect((await healthOf(service, 'HEAD')).status).toBe(200)
    expect((await healthOf(service, 'POST')).headers.get('Allow')).toBe('GET, HEAD')
  })

  it('says nothing of development on a deployment', async () => {
    expect(await (await healthOf(serviceWith(deployed))).json()).toEqual({ status: 'ok' })
  })

  it('is 503 with the variables that are missing, and tells no value; on this machine, also what makes them', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const reach = serviceWith({ JWT_SECRET: 'too short', S3_ENDPOINT: undefined })
    const elsewhere = await reach(new Request('https://storage.example/health'))
    expect(await elsewhere.text()).not.toContain('npm run dev')
    const answer = await healthOf(reach)
    expect(answer.status).toBe(503)
    const text = await answer.text()
    expect(text).toContain('JWT_SECRET must be at least 32 bytes long')
    expect(text).toContain('S3_ENDPOINT is missing')
    expect(text).not.toContain('too short')
    expect(text).toContain('npm run dev makes what is missing')
  })

  it('is 503 when the tables are missing, and says what to do', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { binding } = database(() => {
      throw new Error('D1_ERROR: no such table: usage: SQLITE_ERROR')
    })
    const answer = await healthOf(serviceWith({ DB: binding, ...deployed }))
    expect(answer.status).toBe(503)
    expect(answer.headers.get('Retry-After')).toBe('5')
    expect(await answer.text()).toContain('apply the migrations')
    expect(await (await healthOf(serviceWith({ DB: binding }))).text()).toContain('npm run dev makes them')
    expect(String(log.mock.calls.at(-1)?.[0])).toContain('no such table: usage')
  })

  it('is 503 when the database does not answer', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { binding } = database(() => new Promise(() => {}))
    const answer = await healthOf(serviceWith({ DB: binding, CALL_TIMEOUT_MS: '20' }))
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('The database did not answer')
  })

  it('asks the database once in five seconds, however often it is asked, and then sees what has changed', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.useFakeTimers({ toFake: ['Date'] })
    let isUp = true
    const { binding, queries } = database(() => {
      if (!isUp) throw new Error('D1 is down')
      return { results: [] }
    })
    const reach = serviceWith({ DB: binding })
    for (let i = 0; i < 5; i++) expect((await healthOf(reach)).status).toBe(200)
    isUp = false
    expect((await healthOf(reach)).status).toBe(200)
    expect(queries).toHaveLength(1)
    vi.advanceTimersByTime(5_000)
    for (let i = 0; i < 5; i++) expect((await healthOf(reach)).status).toBe(503)
    expect(queries).toHaveLength(2)
    isUp = true
    vi.advanceTimersByTime(5_000)
    expect((await healthOf(reach)).status).toBe(200)
  })
})
