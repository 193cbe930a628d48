import { describe, expect, inject, it } from 'vitest'
import { signUp, User } from '../support/user.ts'

const { origin, isDevelopment, allowed_origin, expired_token, foreign_token } = inject('acceptance')

it.each(['my-game/1.0', 'curl/8.5.0', 'Go-http-client/2.0', ''])(
  'a client with the User-Agent "%s" gets JSON: no check of browsers or bots of the zone stands before the Worker',
  async (agent) => {
    const answer = await fetch(`${origin}/readyz`, { headers: { 'User-Agent': agent } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
  },
)

it.each(['/', '/docs/', '/guides/'])('%s is a page', async (path) => {
  const answer = await fetch(origin + path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('Content-Type')).toMatch(/html/)
})

it.each(['/openapi.json', '/openapi.operators.json', '/asyncapi.json'])(
  '%s is served, and not kept',
  async (path) => {
    const answer = await fetch(origin + path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Cache-Control')).toContain('no-store')
  },
)

it.skipIf(isDevelopment)('nobody is given a token', async () => {
  expect((await fetch(`${origin}/development/token`, { method: 'POST', body: '{}' })).status).toBe(404)
})

it('a malformed path is answered by the service, and by no page of the edge', async () => {
  const ada = await signUp('ada')
  const answers = [await ada.get('/files/%E0%A4%A'), await new User('nobody', '').get('/files/%E0%A4%A')]
  expect(answers[0]).toBeProblem(400, 'VALIDATION_FAILED')
  expect(answers[1]).toBeProblem(401, 'UNAUTHENTICATED')
  expect([400, 404]).toContain((await fetch(`${origin}/guides/%FF`)).status)
})

it('the ETag of a record is strong, also when the client takes compressed answers', async () => {
  const ada = await signUp('ada')
  const { id } = await ada.folder('etag')
  const { headers } = await ada.get(`/files/${id}`, { 'Accept-Encoding': 'br, gzip' })
  expect(headers.get('ETag')).toMatch(/^"\d+"$/)
})

/** Several requests, because the cache of a location keeps a picture shortly after it has answered. */
async function cachingOf(url: string, wanted: string): Promise<string> {
  for (let times = 0; ; times++) {
    const { status, headers } = await fetch(url)
    const seen = `${status} ${headers.get('Cf-Cache-Status') ?? 'NONE'}`
    if (seen === wanted || times === 30) return seen
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

// With "picture_cache": false, or in a jurisdiction, no answer has Cf-Cache-Status.
it.skipIf(isDevelopment)(
  'a picture is kept at the edge, without its tags, and gone within 30 seconds',
  async () => {
    const ada = await signUp('ada')
    const file = await ada.picture()
    const { picture_url } = await ada.choose(file)
    const url = picture_url ?? ''
    const { headers } = await fetch(url)
    if (!headers.has('Cf-Cache-Status')) return
    expect(headers.has('Cache-Tag')).toBe(false)
    expect(await cachingOf(url, '200 HIT')).toBe('200 HIT')
    await ada.choose(null)
    expect(await cachingOf(url, '404 BYPASS')).toMatch(/^404/)
    const { status, headers: own } = await ada.get('/quota')
    expect([status, own.get('Cf-Cache-Status')]).not.toContain('HIT')
  },
  90_000,
)

describe('a token', () => {
  it.runIf(expired_token)('that has expired is refused', async () => {
    expect((await new User('any', expired_token).get('/quota')).status).toBe(401)
  })

  it.runIf(foreign_token)('for another audience is refused', async () => {
    expect((await new User('any', foreign_token).get('/quota')).status).toBe(401)
  })
})

it.runIf(allowed_origin)('a page on an allowed origin may read the headers of an inbox', async () => {
  const ada = await signUp('ada')
  const { headers } = await ada.get('/notifications', { Origin: allowed_origin })
  expect([allowed_origin, '*']).toContain(headers.get('Access-Control-Allow-Origin'))
  for (const name of ['X-Inbox-Seq', 'X-D1-Bookmark', 'ETag'])
    expect(headers.get('Access-Control-Expose-Headers')).toContain(name)
})

it.skipIf(isDevelopment)(
  'a user who sends 700 requests in a minute is told to wait',
  { tags: 'long' },
  async () => {
    const ada = await signUp('ada')
    const statuses = new Set<number>()
    const waits = new Set<string | null>()
    for (let round = 0; round < 14; round++)
      for (const { status, headers } of await Promise.all(
        Array.from({ length: 50 }, () => ada.get('/quota')),
      )) {
        statuses.add(status)
        if (status === 429) waits.add(headers.get('Retry-After'))
      }
    expect([...statuses].sort()).toEqual([200, 429])
    expect([...waits]).toEqual(['60'])
  },
)
