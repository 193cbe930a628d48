import { env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { overridden } from '../support/meter.ts'
import { type Fetch, origin, service, serviceWith } from '../support/service.ts'

afterEach(() => vi.restoreAllMocks())

const ask = (reach: Fetch, path = '/readyz') => reach(new Request(origin + path))

const unreachable = async () => {
  throw new Error('a secret of the inside')
}

describe('GET /healthz', () => {
  it('is 200 as long as the Worker runs, also without a configuration', async () => {
    expect(await (await ask(service, '/healthz')).json()).toEqual({ status: 'alive' })
    expect((await ask(serviceWith({ JWT_SECRET: undefined }), '/healthz')).status).toBe(200)
  })
})

describe('GET /readyz', () => {
  it('is 200 when the database, the bucket, the inboxes and the keys can be reached', async () => {
    const answer = await ask(service)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    const reachable = { database: 'reachable', bucket: 'reachable', inbox: 'reachable', keys: 'reachable' }
    expect(await answer.json()).toEqual({ status: 'ready', ...reachable })
  })

  it.each([
    [
      'database',
      {
        DB: overridden(env.DB, {
          withSession: () => ({ prepare: () => ({ bind: () => ({ all: unreachable }) }) }),
        }),
      },
    ],
    ['bucket', { BUCKET: overridden(env.BUCKET, { head: unreachable }) }],
    ['inbox', { INBOX: overridden(env.INBOX, { getByName: () => ({ counts: unreachable }) }) }],
    [
      'keys',
      { JWT_SECRET: undefined, JWKS_URL: 'http://localhost:9/none', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' },
    ],
  ])('is 503 when the %s can’t be reached, and tells nothing more', async (part, different) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const answer = await ask(serviceWith(different))
    expect(answer.status).toBe(503)
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({ status: 'not ready', [part]: 'unreachable' })
    expect(text).not.toContain('secret')
  })

  it('is 200 when a call to the inbox is lost once, as at a deployment, and 503 when its code is older', async () => {
    const counts = vi.fn(async () => ({}))
    counts.mockRejectedValueOnce(Object.assign(new Error('network connection lost'), { retryable: true }))
    const INBOX = overridden(env.INBOX, { getByName: () => ({ counts }) })
    expect((await ask(serviceWith({ INBOX }))).status).toBe(200)
    expect(counts).toHaveBeenCalledTimes(2)
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const answer = await ask(serviceWith({ INBOX: env.OLDER_INBOX }))
    expect([answer.status, await answer.json()]).toMatchObject([503, { inbox: 'unreachable' }])
    expect(log.mock.calls.join(), 'the log says why').toContain('does not implement the method')
  })

  it('asks the parts once in five seconds, however many ask it', async () => {
    const head = vi.fn(async () => null)
    const reach = serviceWith({ BUCKET: overridden(env.BUCKET, { head }) })
    for (let asked = 0; asked < 20; asked++) expect((await ask(reach)).status).toBe(200)
    expect(head).toHaveBeenCalledTimes(1)
  })
})
