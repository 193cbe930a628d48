import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import {
  announce,
  announcement,
  announcements,
  announcer,
  end,
  later,
  newIsolate,
  SCOPE,
  startEachWithNone,
} from '../support/announcements.ts'
import { operator, signUp } from '../support/user.ts'

const DAY = 24 * 60 * 60
const now = () => Math.floor(Date.now() / 1_000)
const versionOf = () => env.DB.prepare('SELECT version FROM announcement_list').first<number>('version')
const withKey = (key = crypto.randomUUID()) => ({ 'Idempotency-Key': key })

startEachWithNone()

/** A service of the studio's over an isolate of its own. */
const aStudio = (variables: Record<string, string> = {}) => announcer(newIsolate(variables).service)

describe('POST /v1/announcements', () => {
  it('answers with the announcement, and with no member more', async () => {
    const studio = await aStudio()
    const json = announcement({ other: 1 })
    const answer = await studio.request('POST', '/announcements', { json })
    expect(answer.status, answer.text).toBe(201)
    const { other, ...sent } = json as typeof json & { other: number }
    expect(answer.body).toEqual({
      ...sent,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.closeTo(now(), -2),
    })
  })

  it('is FORBIDDEN without its scope, and so are the list and the end', async () => {
    const made = await announce(await aStudio())
    for (const caller of [await signUp('ada'), await operator('notifications:publish')]) {
      const answers = [
        await caller.request('POST', '/announcements', { json: announcement() }),
        await caller.get('/announcements'),
        await end(caller, made),
      ]
      for (const answer of answers) expect(answer).toBeProblem(403, 'FORBIDDEN', SCOPE)
    }
  })

  it('takes an end from the next second on until the retention', async () => {
    const studio = await aStudio({ NOTIFICATION_RETENTION_DAYS: '2' })
    later(0)
    for (const expires_at of [now() + 1, now() + 2 * DAY])
      expect(await announce(studio, { expires_at })).toMatchObject({ expires_at })
    for (const expires_at of [now() - 1, now(), now() + 2 * DAY + 1, 1.5, '1', null, undefined]) {
      const answer = await studio.request('POST', '/announcements', { json: announcement({ expires_at }) })
      expect(answer, String(expires_at)).toBeProblem(400, 'VALIDATION_FAILED', '/expires_at')
    }
    const inMs = { json: announcement({ expires_at: (now() + DAY) * 1_000 }) }
    expect(await studio.request('POST', '/announcements', inMs)).toBeProblem(
      400,
      'VALIDATION_FAILED',
      'looks like milliseconds',
    )
  })

  it.each([
    ['/type', [undefined, null, 7, '', 'friend_request', 'shop', '.shop', 'shop.', 'Shop.gift']],
    ['/data', [undefined, null, 7, 'data', [], { a: 'x'.repeat(4_096) }]],
  ])('refuses another %s', async (path, values) => {
    const studio = await aStudio()
    for (const value of values) {
      const json = announcement({ [path.slice(1)]: value })
      const answer = await studio.request('POST', '/announcements', { json })
      expect(answer, JSON.stringify(value)).toBeProblem(400, 'VALIDATION_FAILED', path)
    }
    expect((await announcements(studio)).announcements).toEqual([])
  })

  it('answers a repetition with the same key as the first time, as long as the announcement is in force', async () => {
    const studio = await aStudio()
    const [headers, json] = [withKey(), announcement()]
    const send = (json: unknown, caller = studio) =>
      caller.request('POST', '/announcements', { json, headers })
    const [first, again] = [await send(json), await send(json)]
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(await send({ ...json, data: {} })).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect((await send(json, await aStudio())).body, 'a key of another service').not.toEqual(first.body)
    expect((await announcements(studio)).announcements).toHaveLength(2)
  })

  it('makes one announcement of many requests with one key', async () => {
    const studio = await aStudio()
    const [headers, json] = [withKey(), announcement()]
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => studio.request('POST', '/announcements', { json, headers })),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await announcements(studio)).announcements).toHaveLength(1)
  })

  it('refuses more than MAX_ANNOUNCEMENTS at a time; a repetition gets the first, and an expired one leaves room', async () => {
    const studio = await aStudio({ MAX_ANNOUNCEMENTS: '2' })
    const [headers, json] = [withKey(), announcement({ expires_at: now() + 60 })]
    const send = () => studio.request('POST', '/announcements', { json, headers })
    const first = await send()
    const second = await announce(studio)
    const [full, version] = [
      () => studio.request('POST', '/announcements', { json: announcement() }),
      await versionOf(),
    ]
    expect(await full()).toBeProblem(409, 'LIMIT_REACHED', 'announcements')
    expect((await send()).body).toEqual(first.body)
    expect(await versionOf(), 'a refusal and a repetition leave the version').toBe(version)
    later(60)
    expect((await announcements(studio)).announcements).toEqual([second])
    await announce(studio)
    await end(studio, second)
    await announce(studio)
  })

  it('lets as many through as there is room, however many come at once', async () => {
    const studio = await aStudio({ MAX_ANNOUNCEMENTS: '3' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => studio.request('POST', '/announcements', { json: announcement() })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  })
})

describe('GET /v1/announcements', () => {
  it('lists those in force, newest first, page by page', async () => {
    const studio = await aStudio()
    const made = [await announce(studio), await announce(studio), await announce(studio)]
    const [third, second, first] = made.reverse()
    const page = await announcements(studio, '?limit=2')
    expect(page.announcements).toEqual([third, second])
    const rest = await announcements(studio, `?limit=2&cursor=${page.next_cursor}`)
    expect(rest).toEqual({ announcements: [first], next_cursor: null })
    expect(await studio.get('/announcements?cursor=x')).toBeProblem(400, 'INVALID_CURSOR')
  })

  it('leaves out what has expired', async () => {
    const studio = await aStudio()
    const short = await announce(studio, { expires_at: now() + 60 })
    const long = await announce(studio)
    expect((await announcements(studio)).announcements).toEqual([long, short])
    later(61)
    expect((await announcements(studio)).announcements).toEqual([long])
  })
})

describe('DELETE /v1/announcements/{id}', () => {
  it('ends an announcement once; an expired, unknown or malformed one is ANNOUNCEMENT_NOT_FOUND, and changes nothing', async () => {
    const studio = await aStudio()
    const [made, expired] = [await announce(studio), await announce(studio, { expires_at: now() + 60 })]
    expect((await end(studio, made)).status).toBe(204)
    const version = await versionOf()
    later(61)
    for (const id of [made.id, expired.id, crypto.randomUUID(), 'x'])
      expect(await end(studio, { id })).toBeProblem(404, 'ANNOUNCEMENT_NOT_FOUND')
    expect(await versionOf()).toBe(version)
    expect((await announcements(studio)).announcements).toEqual([])
  })
})
