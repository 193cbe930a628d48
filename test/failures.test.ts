import { createExecutionContext, env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { app } from '../src/app.ts'
import { overridden } from './support/meter.ts'
import { signUp, type User } from './support/user.ts'

/** The service over a database or a bucket that fails in the given way. */
function over(broken: { DB?: D1Database; BUCKET?: R2Bucket }) {
  const bindings = { ...env, ...broken }
  return async (request: Request) => app.fetch(request, bindings, createExecutionContext())
}

const database = (fail: () => unknown) =>
  overridden(env.DB, {
    withSession: () =>
      overridden(env.DB.withSession(), {
        prepare: () => ({ bind: () => ({ all: async () => fail() }) }),
        batch: async () => fail(),
      }),
  })

const raise = (error: unknown) => () => {
  throw error
}

const requests: [what: string, ask: (user: User) => ReturnType<User['get']>][] = [
  ['a list', (user) => user.get('/files')],
  ['a folder’s list', (user) => user.get('/files?parent_id=x')],
  [
    'a creation',
    (user) => user.createFolder({ name: 'a', asset_type: 'folder' }, { 'Idempotency-Key': 'k' }),
  ],
  ['a deletion', (user) => user.delete('x')],
  ['a completion', (user) => user.complete('x')],
]

afterEach(() => vi.restoreAllMocks())

describe.each(requests)('%s', (_, ask) => {
  it('is INTERNAL when something is wrong inside; the client is told nothing of it, the log everything', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const inside = 'D1_ERROR: no such column: secret_column at offset 7: SQLITE_ERROR'
    const ada = (await signUp()).through(over({ DB: database(raise(new Error(inside))) }))
    const answer = await ask(ada)
    expect(answer).toBeProblem(500, 'INTERNAL')
    for (const word of ['D1', 'SQL', 'column', 'Error:', 'src/', '.ts'])
      expect(answer.text).not.toContain(word)
    const logged = String(log.mock.calls.at(-1)?.[0])
    expect(logged).toContain(inside)
    expect(logged).toContain(answer.headers.get('X-Request-Id'))
  })

  it('is UNAVAILABLE when the database is out of reach, and says when to come back', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = (await signUp()).through(
      over({ DB: database(raise(new Error('D1_ERROR: Network connection lost.'))) }),
    )
    const answer = await ask(ada)
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(answer.headers.get('Retry-After')).toBe('5')
    expect(answer.text).not.toContain('Network connection')
  })

  it('is INTERNAL when something is thrown that is no error at all', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = (await signUp()).through(over({ DB: database(raise('a string')) }))
    expect(await ask(ada)).toBeProblem(500, 'INTERNAL')
  })
})

describe('a bucket that is out of reach', () => {
  it('makes completion UNAVAILABLE, and completing again works', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = await signUp()
    const upload = await ada.upload({ size_bytes: 3, mime_type: 'text/plain' })
    await env.BUCKET.put(upload.id, 'abc', { httpMetadata: { contentType: 'text/plain' } })
    const BUCKET = overridden(env.BUCKET, { head: raise(new Error('internal error (10001)')) })
    expect(await ada.through(over({ BUCKET })).complete(upload)).toBeProblem(503, 'UNAVAILABLE')
    expect((await ada.complete(upload)).status).toBe(200)
  })
})
