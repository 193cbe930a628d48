import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { meter } from '../support/meter.ts'
import { type Fetch, origin, serviceWith } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

const on = { RATE_LIMITS: 'on' }

/** The simulator counts by the minute of the clock: what meets a new minute is done again, by another user. */
async function withinOneMinute<Result>(work: () => Promise<Result>): Promise<Result> {
  const minute = () => Math.floor(Date.now() / 60_000)
  const before = minute()
  try {
    const result = await work()
    if (minute() === before) return result
  } catch (error) {
    if (minute() === before) throw error
  }
  return withinOneMinute(work)
}

/** The answers to `count` requests, 20 at once after the first, whose error has its stack mapped for all. */
async function asked(count: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers = [await ask()]
  while (answers.length < count)
    answers.push(...(await Promise.all(Array.from({ length: Math.min(20, count - answers.length) }, ask))))
  return answers
}

/** The status of a request for a socket, which is closed again. */
async function opened({ token }: User): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, Upgrade: 'websocket' }
  const response = await serviceWith(on)(new Request(`${origin}/v1/notifications/ws`, { headers }))
  response.webSocket?.accept()
  response.webSocket?.close()
  return response.status
}

const refused = (answers: Answer[]) => answers.filter(({ status }) => status === 429)
const read = (user: User) => () => user.get('/unknown')
const write = (user: User) => () => user.request('DELETE', '/unknown')

afterEach(() => vi.restoreAllMocks())

describe('RATE_LIMITED', () => {
  it('is what a user’s 601st request in a minute is answered, sockets counted, and the same user’s socket', async () => {
    await withinOneMinute(async () => {
      const ada = (await signUp()).through(serviceWith(on))
      const bob = (await signUp()).through(serviceWith(on))
      for (let i = 0; i < 10; i++) expect(await opened(ada)).toBe(101)
      expect(refused(await asked(590, read(ada)))).toEqual([])
      const answer = await ada.get('/files')
      expect(answer).toBeProblem(429, 'RATE_LIMITED')
      expect(answer.headers.get('Retry-After')).toBe('60')
      expect(await ada.get('/notifications/ws', { Upgrade: 'websocket' })).toBeProblem(429, 'RATE_LIMITED')
      expect((await bob.get('/files')).status).toBe(200)
    })
  })

  it('is what a user’s 121st write in a minute is answered, and not a read', async () => {
    await withinOneMinute(async () => {
      const ada = (await signUp()).through(serviceWith(on))
      expect(refused(await asked(120, write(ada)))).toEqual([])
      expect(await ada.createFolder({ name: 'a', asset_type: 'folder' })).toBeProblem(429, 'RATE_LIMITED')
      expect((await ada.get('/files')).body).toMatchObject({ files: [] })
    })
  })

  it('comes later for the studio’s own services', async () => {
    await withinOneMinute(async () => {
      const social = (await operator('notifications:publish')).through(serviceWith(on))
      const player = (await operator('openid profile')).through(serviceWith(on))
      expect(refused(await asked(150, write(social)))).toEqual([])
      expect(refused(await asked(150, write(player))).length).toBe(30)
    })
  })

  it('is never the answer to who has no valid token', async () => {
    const limit = vi.fn(async () => ({ success: true }))
    const stranger = (await signUp()).through(
      serviceWith({ ...on, REQUEST_LIMIT: { limit }, JWT_SECRET: 'x'.repeat(40) }),
    )
    expect(await stranger.get('/files')).toBeProblem(401, 'UNAUTHENTICATED')
    expect(limit).not.toHaveBeenCalled()
  })

  it('costs no trip to the database', async () => {
    const metered = meter(on)
    const ada = (await signUp()).through(metered.service)
    expect((await metered.of(() => ada.get('/files'))).trips).toBe(1)
  })
})

describe('rate limits', () => {
  const many = async (service: Fetch) =>
    withinOneMinute(async () => refused(await asked(130, write((await signUp()).through(service)))).length)

  it('are off in development unless they are switched on, and can be switched off anywhere else', async () => {
    const deployed = {
      DEVELOPMENT: undefined,
      S3_ENDPOINT: 'https://account.r2.example',
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    }
    expect(await many(serviceWith({}))).toBe(0)
    expect(await many(serviceWith(on))).toBe(10)
    expect(await many(serviceWith(deployed))).toBe(10)
    expect(await many(serviceWith({ ...deployed, RATE_LIMITS: 'off' }))).toBe(0)
  })

  it('are none without their bindings, which is said once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const none = { REQUEST_LIMIT: undefined, WRITE_LIMIT: undefined }
    expect(await many(serviceWith({ ...on, ...none }))).toBe(0)
    expect(warn.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      { message: 'no rate limits: bindings are missing', bindings: ['REQUEST_LIMIT', 'WRITE_LIMIT'] },
    ])
  })

  it.each([
    ['fails', () => Promise.reject(new Error('out of order'))],
    ['is never answered', () => new Promise<never>(() => {})],
  ])(
    'let everything through when the binding %s, and say so without being asked each time',
    async (_, fail) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      const limit = vi.fn(fail)
      const ada = (await signUp()).through(serviceWith({ ...on, REQUEST_LIMIT: { limit } }))
      for (let i = 0; i < 5; i++) expect((await ada.get('/files')).status).toBe(200)
      expect(limit).toHaveBeenCalledTimes(1)
      expect(log.mock.calls.map(([line]) => JSON.parse(line).message)).toEqual([
        'a rate limit is out: requests pass',
      ])
    },
  )
})
