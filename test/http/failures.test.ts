import { env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { overEvery } from '../support/databases.ts'
import { overridden } from '../support/meter.ts'
import { serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

const databases = (fail: () => unknown) =>
  overEvery((database) =>
    overridden(database, {
      withSession: () =>
        overridden(database.withSession(), {
          prepare: () => ({ bind: () => ({ all: async () => fail() }) }),
          batch: async () => fail(),
        }),
    }),
  )

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

describe('the log', () => {
  it('has the id that the client sent beside the service’s own, cut short and without what could end a line', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = (await signUp()).through(serviceWith(databases(raise(new Error('inside')))))
    const answer = await ada.get('/files', { 'X-Request-Id': `chosen-1 "<\t>${'x'.repeat(9_000)}` })
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(JSON.parse(String(log.mock.calls.at(-1)?.[0]))).toMatchObject({
      request_id: answer.headers.get('X-Request-Id'),
      client_request_id: expect.stringMatching(/^chosen-1_____x{51}$/),
    })
  })
})

/** A body whose client goes away before it is whole. */
const cutShort = () =>
  new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('{"name":'))
      controller.error(new Error('Network connection lost.'))
    },
  })

describe('a request whose body is cut short', () => {
  it.each([
    ['POST', '/files', 'application/json'],
    ['PUT', '/saves/auto', 'application/octet-stream'],
    ['POST', '/files/content?name=a', 'text/plain'],
  ])('is no failure of the service: %s %s', async (method, path, type) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = (await signUp()).through(serviceWith({}))
    const lengths: Record<string, string>[] = [{}, { 'Content-Length': '100' }]
    for (const length of lengths) {
      const headers = { 'Content-Type': type, ...length }
      const answer = await ada.request(method, path, { body: cutShort(), headers })
      expect(answer).toBeProblem(400, 'VALIDATION_FAILED')
    }
    expect(log).not.toHaveBeenCalled()
    expect((await ada.get('/files')).body).toMatchObject({ files: [] })
  })
})

/** Mistakes of our own. What becomes of parts that are out of reach is shown by test/proofs/faults.test.ts. */
describe.each(requests)('%s', (_, ask) => {
  it('is INTERNAL when something is wrong inside; the client is told nothing of it, the log everything', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const inside = 'D1_ERROR: no such column: secret_column at offset 7: SQLITE_ERROR'
    const ada = (await signUp()).through(serviceWith(databases(raise(new Error(inside)))))
    const answer = await ask(ada)
    expect(answer).toBeProblem(500, 'INTERNAL')
    for (const word of ['D1', 'SQL', 'column', 'Error:', 'src/', '.ts'])
      expect(answer.text).not.toContain(word)
    const logged = String(log.mock.calls.at(-1)?.[0])
    expect(logged).toContain(inside)
    expect(logged).toContain(answer.headers.get('X-Request-Id'))
  })

  it('is INTERNAL when something is thrown that is no error at all', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = (await signUp()).through(serviceWith(databases(raise('a string'))))
    expect(await ask(ada)).toBeProblem(500, 'INTERNAL')
  })
})

describe('an inbox', () => {
  const failing = (flags: Record<string, boolean>, mistake = new Error('no such column: secret_column')) => {
    const error = Object.assign(mistake, flags)
    return overridden(env.INBOX, { getByName: () => ({ counts: async () => raise(error)() }) })
  }

  it('that makes a mistake is INTERNAL; one that the platform has reset is UNAVAILABLE', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = await signUp()
    const mistaken = ada.through(serviceWith({ INBOX: failing({ remote: true }) }))
    const answer = await mistaken.get('/notifications/unread-count')
    expect(answer).toBeProblem(500, 'INTERNAL')
    expect(answer.text).not.toContain('column')
    const typeError = failing({ remote: true }, new TypeError('list.method is not a function'))
    const alsoMistaken = ada.through(serviceWith({ INBOX: typeError }))
    expect(await alsoMistaken.get('/notifications/unread-count')).toBeProblem(500, 'INTERNAL')
    const reset = ada.through(serviceWith({ INBOX: failing({ remote: true, durableObjectReset: true }) }))
    expect(await reset.get('/notifications/unread-count')).toBeProblem(503, 'UNAVAILABLE')
  })
})
