import { env, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { later, newIsolate } from '../support/announcements.ts'
import { tokenFor } from '../support/identities.ts'
import { recall, recallBody, recaller, recalls, SCOPE, startEachWithNoRecall } from '../support/recalls.ts'
import { newPlayer, Player } from '../support/saves.ts'
import { service } from '../support/service.ts'
import { operator, signUp, User } from '../support/user.ts'

const MINUTE = 60
const YEAR = 365 * 24 * 60 * MINUTE
const now = () => Math.floor(Date.now() / 1_000)

startEachWithNoRecall()

/** A player who saved before a patch, and with it, and an operator who recalls that some minutes later. */
async function scene(different: Record<string, unknown> = {}) {
  later(0)
  const before = newIsolate()
  const ada = await newPlayer(before.service)
  await ada.save('auto', 'good')
  later(5 * MINUTE)
  const from = now()
  await ada.save('auto', 'broken', { 'If-Match': '"1"' })
  later(5 * MINUTE)
  await before.settled()
  const isolate = newIsolate()
  const studio = await recaller(isolate.service)
  const made = await recall(studio, { from, until: now(), ...different })
  return { ada: ada.through(isolate.service), studio, made, isolate }
}

/** The same player, whose requests come to an isolate that has read nothing. */
function elsewhere(ada: Player) {
  const isolate = newIsolate()
  return { ...isolate, ada: ada.through(isolate.service) }
}

describe('POST /v1/recalls', () => {
  it('answers with the recall, and with no member more', async () => {
    const studio = await recaller()
    const json = recallBody({ other: 1, slots: ['auto', 'server.bag'] })
    const answer = await studio.request('POST', '/recalls', { json })
    expect(answer.status, answer.text).toBe(201)
    const { other, ...sent } = json as typeof json & { other: number }
    const counts = { player_count: 0, slot_count: 0, kept_count: 0, without_earlier_count: 0 }
    expect(answer.body).toEqual({
      ...sent,
      ...counts,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.closeTo(now(), -2),
      ended_at: null,
    })
    expect((await recalls(studio)).recalls).toEqual([answer.body])
  })

  it('is FORBIDDEN without its scope, and so are the list and the end', async () => {
    for (const caller of [await signUp('ada'), await operator('users:read')]) {
      const answers = [
        await caller.request('POST', '/recalls', { json: recallBody() }),
        await caller.get('/recalls'),
        await caller.request('DELETE', '/recalls/some'),
      ]
      for (const answer of answers) expect(answer).toBeProblem(403, 'FORBIDDEN', SCOPE)
    }
  })

  it.each([
    ['/from', [undefined, null, 'x', 1.5]],
    ['/until', [undefined, null, 'x']],
    ['/newer', [undefined, null, 'both']],
    ['/reason', [undefined, null, '', '  ', 'x'.repeat(501)]],
    ['/slots', [null, [], 'auto', ['no name'], ['..']]],
  ])('refuses another %s', async (path, values) => {
    const studio = await recaller()
    for (const value of values) {
      const json = recallBody({ [path.slice(1)]: value })
      const answer = await studio.request('POST', '/recalls', { json })
      expect(answer, JSON.stringify(value)).toBeProblem(400, 'VALIDATION_FAILED', path)
    }
  })

  it('takes times that have passed, of which the first is the earlier', async () => {
    later(0)
    const studio = await recaller(newIsolate().service)
    for (const [from, until, path] of [
      [now() - 10, now() + 1, '/until'],
      [now() - 10, now() - 10, '/from'],
      [now() - 10, now() - 11, '/from'],
    ])
      expect(await studio.request('POST', '/recalls', { json: recallBody({ from, until }) })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        String(path),
      )
    await recall(studio, { from: now() - 1, until: now() })
  })

  it('answers a repetition with the same key as the first time, and recalls nothing twice', async () => {
    const studio = await recaller()
    const [headers, json] = [{ 'Idempotency-Key': crypto.randomUUID() }, recallBody()]
    const send = (json: unknown) => studio.request('POST', '/recalls', { json, headers })
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(json)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await send({ ...json, newer: 'revert' })).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect((await recalls(studio)).recalls).toHaveLength(1)
  })

  it('refuses more than MAX_RECALLS in force, and one that has ended leaves room', async () => {
    const studio = await recaller(newIsolate({ MAX_RECALLS: '2' }).service)
    const first = await recall(studio)
    await recall(studio)
    expect((await studio.request('POST', '/recalls', { json: recallBody() })).body).toMatchObject({
      code: 'LIMIT_REACHED',
      limit: 'recalls',
    })
    expect((await studio.request('DELETE', `/recalls/${first.id}`)).status).toBe(204)
    await recall(studio)
    expect((await recalls(studio)).recalls.map(({ ended_at }) => ended_at !== null)).toEqual([
      false,
      false,
      true,
    ])
  })

  it('and the end leave an entry of the audit each, with the reason', async () => {
    const studio = await recaller()
    const { id } = await recall(studio, { reason: 'Patch 1.4.2' })
    const headers = { 'Audit-Reason': 'a%20mistake' }
    await studio.request('DELETE', `/recalls/${id}`, { headers })
    const auditor = await operator('audit:read')
    expect((await auditor.get(`/audit?actor=${studio.id}`)).body).toMatchObject({
      entries: [
        { action: 'endRecall', resource: id, reason: 'a mistake', user_id: null, status: 204 },
        { action: 'createRecall', resource: id, reason: 'Patch 1.4.2', user_id: null, status: 201 },
      ],
    })
  })
})

describe('DELETE /v1/recalls/{id}', () => {
  it('ends a recall for those whom it has not reached; a second time is the same', async () => {
    const { ada, studio, made, isolate } = await scene()
    const bob = await newPlayer(isolate.service)
    for (let times = 0; times < 2; times++)
      expect((await studio.request('DELETE', `/recalls/${made.id}`)).status).toBe(204)
    const { recalls: ended } = await recalls(studio)
    expect(ended).toMatchObject([{ id: made.id, ended_at: now() }])
    expect(await ada.content('auto')).toBe('broken')
    expect((await bob.list()).saves).toEqual([])
    expect(await studio.request('DELETE', `/recalls/${crypto.randomUUID()}`)).toBeProblem(
      404,
      'RECALL_NOT_FOUND',
    )
    expect(await studio.request('DELETE', '/recalls/none')).toBeProblem(404, 'RECALL_NOT_FOUND')
  })
})

describe('GET /v1/recalls', () => {
  it('lists pages, newest first', async () => {
    const studio = await recaller()
    const made = [await recall(studio), await recall(studio), await recall(studio)]
    const first = await recalls(studio, '?limit=2')
    const second = await recalls(studio, `?limit=2&cursor=${first.next_cursor}`)
    expect([...first.recalls, ...second.recalls].map(({ id }) => id)).toEqual(
      made.map(({ id }) => id).reverse(),
    )
    expect(second.next_cursor).toBeNull()
    expect(await studio.get('/recalls?cursor=x')).toBeProblem(400, 'INVALID_CURSOR')
  })
})

describe('a recall', () => {
  it('is in the list, the history and the bytes that the player reads next, and its counts come later', async () => {
    const { ada, studio, made } = await scene()
    expect((await ada.list()).saves).toMatchObject([{ slot: 'auto', revision: 3, recall_id: made.id }])
    expect(await ada.content('auto')).toBe('good')
    expect((await ada.revisions('auto')).map(({ recall_id }) => recall_id)).toEqual([made.id, null, null])
    later(5 * MINUTE)
    expect(await runDurableObjectAlarm(env.SAVES.getByName(ada.id))).toBe(true)
    expect((await recalls(studio)).recalls).toMatchObject([{ player_count: 1, slot_count: 1, kept_count: 0 }])
  })

  it('reaches a player whose every request comes to an isolate that has read nothing', async () => {
    const { ada } = await scene()
    const first = elsewhere(ada)
    expect(await first.ada.content('auto'), 'the isolate does not know it yet').toBe('broken')
    await first.settled()
    expect(await elsewhere(ada).ada.content('auto')).toBe('good')
  })

  it('makes a conflict of what an old device writes to an isolate that knows nothing yet, once it knows', async () => {
    const { ada } = await scene()
    later(YEAR)
    const device = elsewhere(new Player(new User(ada.id, await tokenFor(ada.id)), service))
    expect((await device.ada.write('auto', 'old device', { 'If-Match': '"2"' })).status).toBe(200)
    await device.settled()
    expect(await device.ada.content('auto')).toBe('good')
    const next = await device.ada.write('auto', 'on', { 'If-Match': '"3"' })
    expect(next).toBeProblem(412, 'PRECONDITION_FAILED')
    expect((await device.ada.user.get('/saves/auto?revision=3')).text).toBe('old device')
  })

  it('is known to another isolate within a minute', async () => {
    const other = newIsolate()
    const bob = await newPlayer(other.service)
    later(0)
    await bob.list()
    await other.settled()
    const { ada } = await scene()
    const there = ada.through(other.service)
    await there.list()
    await other.settled()
    later(MINUTE)
    expect(await there.content('auto')).toBe('good')
  })
})

describe('GET /v1/saves?recall=ID', () => {
  it('on behalf of a player says what a recall would come to, and changes nothing', async () => {
    const { ada, made, studio, isolate } = await scene()
    const support = await operator('players:read', isolate.service)
    const headers = { 'On-Behalf-Of': encodeURIComponent(ada.id) }
    const look = (id = made.id) => support.request('GET', `/saves?recall=${id}`, { headers })
    const answer = await look()
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({
      saves: [{ slot: 'auto', revision: 2 }],
      recall: {
        is_applied: false,
        slots: [{ slot: 'auto', outcome: 'reverted', revision: 2, to_revision: 1 }],
      },
    })
    expect((await look()).body).toEqual(answer.body)
    expect(await look(crypto.randomUUID())).toBeProblem(404, 'RECALL_NOT_FOUND')
    await ada.list()
    expect((await look()).body).toMatchObject({ recall: { is_applied: true, slots: [] } })
    await studio.request('DELETE', `/recalls/${made.id}`)
    expect((await look()).body).toMatchObject({ recall: { is_applied: false, slots: [] } })
  })

  it('is FORBIDDEN for the player, and for a server that may read saves alone', async () => {
    const { ada, made } = await scene()
    expect(await ada.user.get(`/saves?recall=${made.id}`)).toBeProblem(403, 'FORBIDDEN', 'players:read')
    const server = await operator('saves:read')
    const headers = { 'On-Behalf-Of': encodeURIComponent(ada.id) }
    expect(await server.request('GET', `/saves?recall=${made.id}`, { headers })).toBeProblem(
      403,
      'FORBIDDEN',
      'players:read',
    )
  })
})

describe('a request about saves', () => {
  it('costs no trip before its answer, and an isolate reads the list twice a minute at most', async () => {
    later(0)
    const isolate = newIsolate()
    const ada = await newPlayer(isolate.service)
    const before = isolate.cost.trips
    await ada.list()
    await isolate.settled()
    expect(isolate.cost.trips - before, 'the first one, after its answer').toBe(1)
    for (let count = 0; count < 10; count++) {
      await ada.write('auto', String(count))
      await ada.content('auto')
    }
    await isolate.settled()
    expect(isolate.cost.trips - before).toBe(1)
    later(31)
    await ada.list()
    await ada.list()
    await isolate.settled()
    expect(isolate.cost.trips - before).toBe(2)
  })

  it('is answered while the list can’t be read', async () => {
    const isolate = newIsolate()
    const ada = await newPlayer(isolate.service)
    await env.DB.exec('ALTER TABLE recalls RENAME TO away')
    try {
      expect((await ada.write('auto', 'x')).status).toBe(201)
      await isolate.settled()
    } finally {
      await env.DB.exec('ALTER TABLE away RENAME TO recalls')
    }
  })
})
