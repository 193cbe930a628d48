import { env, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it } from 'vitest'
import { estateOf } from '../http/authorisation/estate.ts'
import { announce, announcer, end } from '../support/announcements.ts'
import { type Answer, made, send } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { countOf, everywhere } from '../support/databases.ts'
import { allEndpoints } from '../support/description.ts'
import { eventsAbout, serviceWithEvents } from '../support/events.ts'
import { tokenFor } from '../support/identities.ts'
import { newUserId, unknownId } from '../support/ids.ts'
import { meter } from '../support/meter.ts'
import { atEachMoment, deathAt, isDeath } from '../support/mortal.ts'
import { outgoing } from '../support/outgoing.ts'
import { records } from '../support/records.ts'
import { type Fetch, origin, service, serviceWith } from '../support/service.ts'
import { operator, signUp, User } from '../support/user.ts'

const REASON = 'Ticket 7: the game deleted it'
const auditor = await operator('audit:read')

/** Somebody of support, who acts for players. */
class Support extends User {
  for({ id }: { id: string }, method: string, path: string, options: Parameters<User['request']>[2] = {}) {
    const own = { 'On-Behalf-Of': encodeURIComponent(id), 'Audit-Reason': encodeURIComponent(REASON) }
    return this.request(method, path, { ...options, headers: { ...own, ...options.headers } })
  }

  override through(service: Fetch): Support {
    return new Support(this.id, this.token, service)
  }
}

async function support(scopes = 'players:write', service?: Fetch): Promise<Support> {
  const { id, token } = await operator(scopes)
  return new Support(id, token, service)
}

/** What somebody did, the newest first. */
async function entriesOf(actor: { id: string }) {
  const query = new URLSearchParams({ actor: actor.id, limit: '100' })
  return made(records.AuditPage, await auditor.get(`/audit?${query}`), 200).entries
}

const idOf = ({ body }: Answer) => String(Object(body).id)
const folder = (name = 'maps') => ({ json: { name, asset_type: 'folder' } })

describe('On-Behalf-Of', () => {
  it.each([
    ['empty', ''],
    ['white space', '%20%20'],
    ['129 characters', 'a'.repeat(129)],
    ['129 characters outside the BMP', encodeURIComponent('\u{1F600}'.repeat(129))],
    ['half of a surrogate pair', '%ED%A0%BD'],
    ['no UTF-8', '%FF'],
    ['no percent-encoding', '100%'],
    ['a control character', 'a%0Ab'],
    ['a path', '%2E%2E'],
    ['letters that are not encoded', 'ad\u00e4'],
    ['two users, as when it is sent twice', 'ada, bob'],
  ])('is refused when it is %s', async (_, header) => {
    const user = await support()
    for (const [method, path] of [
      ['GET', '/files'],
      ['DELETE', '/trash'],
    ] as const) {
      const headers = { 'On-Behalf-Of': header, 'Audit-Reason': 'x' }
      expect(await user.request(method, path, { headers })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/on-behalf-of',
      )
    }
    // Like every request of a scope that is refused after it.
    expect(await entriesOf(user)).toMatchObject([{ action: 'emptyTrash', user_id: null, status: 400 }])
  })

  it('is refused when it is sent twice', async () => {
    const headers = new Headers([
      ['On-Behalf-Of', newUserId()],
      ['On-Behalf-Of', newUserId()],
    ])
    const answer = await (await support()).get('/files', Object.fromEntries(headers))
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/on-behalf-of')
  })

  it('names any user: of 128 characters, with commas and blanks', async () => {
    const user = await support()
    for (const id of ['\u{1F600}'.repeat(128), ' a, b ', '%41']) {
      expect((await user.for({ id }, 'POST', '/files', folder())).status).toBe(201)
      expect((await new User(id, await tokenFor(id)).page()).files).toHaveLength(1)
    }
  })

  it('is nothing for a player, who can’t send it for anybody, not even for themselves', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    for (const other of [ada, bob])
      for (const path of ['/files', '/saves', '/notifications'])
        expect(await ada.get(path, { 'On-Behalf-Of': other.id })).toBeProblem(
          403,
          'FORBIDDEN',
          'players:read',
        )
    const both = new User(ada.id, await tokenFor(ada.id, { scope: 'players:readplayers:write players:* *' }))
    expect(await both.get('/files', { 'On-Behalf-Of': bob.id })).toBeProblem(403, 'FORBIDDEN')
  })

  it('is ignored where no token is needed, and allowed to other origins', async () => {
    const picture = `/pictures/files/${unknownId}/${unknownId}`
    expect(await send('GET', picture, { headers: { 'On-Behalf-Of': 'ada' } })).toBeProblem(404, 'NOT_FOUND')
    const headers = { Origin: 'https://desk.example', 'Access-Control-Request-Method': 'GET' }
    const { headers: allowed } = await send('OPTIONS', '/v1/files', { headers })
    expect(allowed.get('Access-Control-Allow-Headers')).toContain('On-Behalf-Of')
  })

  it('acts as a token without claims, whatever the sender’s token claims', async () => {
    const [ada, other] = [await signUpCreator('ada'), await signUpCreator('other')]
    const asset = await other.asset('a', { visibility: 'public', rating: 'mature' })
    const scopes = 'players:write content:moderate users:erase'
    const { id } = await support()
    const user = new Support(id, await tokenFor(id, { scope: scopes, max_rating: 'everyone' }))
    expect((await user.get(`/game/assets/${asset.id}`)).status).toBe(404)
    const answer = await user.for(ada, 'GET', `/game/assets/${asset.id}`)
    expect(answer.body).toEqual((await ada.get(`/game/assets/${asset.id}`)).body)
    // The moderator's sight is not the player's.
    const secret = await other.asset('secret')
    expect(await user.for(ada, 'GET', `/game/assets/${secret.id}`)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })

  it('counts against the limits of the sender', async () => {
    const keys: string[] = []
    const counting = {
      limit: ({ key }: { key: string }) => {
        keys.push(key)
        return Promise.resolve({ success: true })
      },
    }
    const limits = { REQUEST_LIMIT: refusing, WRITE_LIMIT: refusing, SERVICE_REQUEST_LIMIT: counting }
    const service = serviceWith({ RATE_LIMITS: 'on', ...limits, SERVICE_WRITE_LIMIT: counting })
    const user = await support('players:write', service)
    expect((await user.for({ id: newUserId() }, 'POST', '/files', folder())).status).toBe(201)
    expect(keys).toEqual([user.id, user.id])
  })
})

const refusing = { limit: () => Promise.resolve({ success: false }) }

describe('an Idempotency-Key', () => {
  it('belongs to the actor and the player together: it repeats neither what the player did, nor what another did', async () => {
    const [ada, bob, one, two] = [await signUp('ada'), await signUp('bob'), await support(), await support()]
    const headers = { 'Idempotency-Key': 'key' }
    const sent = { ...folder(), headers }
    const own = await ada.request('POST', '/files', sent)
    const first = await one.for(ada, 'POST', '/files', { ...folder('one'), headers })
    expect(first.status).toBe(201)
    expect(idOf(await one.for(ada, 'POST', '/files', { ...folder('one'), headers }))).toBe(idOf(first))
    expect(await one.for(ada, 'POST', '/files', { ...folder('two'), headers })).toBeProblem(
      422,
      'IDEMPOTENCY_KEY_REUSED',
    )
    expect((await two.for(ada, 'POST', '/files', { ...folder('two'), headers })).status).toBe(201)
    expect((await one.for(bob, 'POST', '/files', { ...folder('one'), headers })).status).toBe(201)
    expect(idOf(await ada.request('POST', '/files', sent))).toBe(idOf(own))
    expect(await ada.names()).toEqual(['maps', 'one', 'two'])
    // Nothing of the actor's is kept that outlives an erasure of the actor.
    expect(await countOf('idempotency WHERE caller_id = ? AND key LIKE ?', ada.id, `%${one.id}%`)).toBe(0)
  })

  it('of a save is the actor’s, too', async () => {
    const [ada, user] = [await signUp('ada'), await support('saves:write')]
    const headers = { 'Idempotency-Key': 'key' }
    expect((await ada.request('PUT', '/saves/a', { body: 'hers', headers })).status).toBe(201)
    const answer = await user.for(ada, 'PUT', '/saves/a', { body: 'theirs', headers })
    expect(answer.body).toMatchObject({ revision: 2 })
    expect((await user.for(ada, 'PUT', '/saves/a', { body: 'theirs', headers })).body).toEqual(answer.body)
  })
})

describe('reading on behalf of a player', () => {
  it('is one entry an actor, player and hour, beside those of acts', async () => {
    const [ada, bob, user, other] = [
      await signUp('ada'),
      await signUp('bob'),
      await support(),
      await support(),
    ]
    await user.for(ada, 'POST', '/files', folder())
    for (const path of ['/files', '/quota', '/notifications', '/saves']) await user.for(ada, 'GET', path)
    await Promise.all([user.for(bob, 'GET', '/trash'), user.for(bob, 'GET', '/quota')])
    await other.for(ada, 'GET', '/files')
    expect((await entriesOf(user)).map(({ action, user_id, scope }) => [action, user_id, scope])).toEqual([
      [expect.stringMatching(/listTrash|getQuota/), bob.id, 'players:read'],
      ['listFiles', ada.id, 'players:read'],
      ['createFolder', ada.id, 'players:write'],
    ])
    expect(await entriesOf(other)).toMatchObject([{ action: 'listFiles', reason: REASON, status: 200 }])
  })

  it('is what a HEAD does, too', async () => {
    const [ada, user] = [await signUp('ada'), await support('players:read')]
    const headers = { Authorization: `Bearer ${user.token}`, 'On-Behalf-Of': ada.id }
    const answer = await service(new Request(`${origin}/v1/files`, { method: 'HEAD', headers }))
    expect(answer.status).toBe(200)
    expect(await entriesOf(user)).toMatchObject([{ action: 'listFiles', user_id: ada.id }])
  })

  it('needs no reason, and refuses one that is malformed', async () => {
    const [ada, user] = [await signUp('ada'), await support('players:read')]
    const headers = { 'On-Behalf-Of': ada.id }
    expect(await user.get('/files', { ...headers, 'Audit-Reason': '%' })).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
    expect((await user.get('/files', headers)).status).toBe(200)
    expect(await entriesOf(user)).toMatchObject([{ action: 'listFiles', reason: null }])
  })

  it('answers nothing when its entry can’t be written', async () => {
    const [ada, user] = [await signUp('ada'), await support('players:read')]
    await ada.folder('secret')
    const answer = await user.through(unwritable()).for(ada, 'GET', '/files')
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(answer.text).not.toContain('secret')
    expect(await entriesOf(user)).toEqual([])
  })

  describe('whom nobody has used', () => {
    let announced: { id: string } | undefined
    afterEach(async () => {
      if (announced) await end(await announcer(), announced)
    })

    it('answers as for an empty account, and makes nothing', async () => {
      announced = await announce(await announcer())
      const [nobody, user] = [
        { id: newUserId() },
        await support('players:read', serviceWith({ NOTIFY_SHARES: 'on' })),
      ]
      const rows = () => everywhere<{ rows: number }>(countsOfTables)
      const before = await rows()
      const reading = (await allEndpoints()).filter(
        ({ method, path, operation }) =>
          method === 'GET' && !path.includes('{') && !path.endsWith('/ws') && !operation['x-scopes'],
      )
      expect(reading.length).toBeGreaterThan(10)
      for (const { path } of reading) {
        const answer = await user.for(nobody, 'GET', path.replace('/v1', ''))
        expect(answer.status, path).toBe(200)
        if (path !== '/v1/game/public') expect(answer.text, path).not.toContain('"id"')
      }
      expect(await rows()).toEqual(before)
      for (const object of [env.INBOX.getByName(nobody.id), env.SAVES.getByName(nobody.id)])
        await runInDurableObject<DurableObject, void>(object, async (_, { storage }) => {
          expect([...(await storage.list()).keys()]).toEqual([])
          expect(
            storage.sql
              .exec("SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
              .toArray(),
          ).toEqual([])
        })
    })
  })
})

/** The rows of all tables of a database but the audit. */
const countsOfTables = `SELECT (SELECT count(*) FROM usage) + (SELECT count(*) FROM files) + (SELECT count(*) FROM profiles)
  + (SELECT count(*) FROM idempotency) + (SELECT count(*) FROM mutes) + (SELECT count(*) FROM outbox) AS rows`

/** A service that can write no entry of the audit. */
function unwritable(): Fetch {
  const failing = outgoing((_, __, act) => act())
  const refuse = () => Promise.reject(new Error('D1_ERROR: Network connection lost.'))
  return serviceWith({ ...failing, ...cutAt('audit', refuse) })
}

/** The databases, in which a statement that names a table fails. */
function cutAt(table: string, fail: () => Promise<never>) {
  const refusing = { bind: () => refusing, all: fail }
  const session = (real: D1DatabaseSession): D1DatabaseSession =>
    new Proxy(real, {
      get: (target, name) => {
        if (name === 'prepare')
          return (query: string) => (query.includes(`INTO "${table}"`) ? refusing : target.prepare(query))
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  const database = (real: D1Database): D1Database =>
    new Proxy(real, {
      get: (target, name) => {
        if (name === 'withSession') return (constraint: string) => session(target.withSession(constraint))
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  return { DB: database(env.DB) }
}

describe('an act on behalf of a player', () => {
  it('does nothing when its entry can’t be written', async () => {
    const [ada, user] = [await signUp('ada'), await support()]
    const before = await estateOf(ada)
    const cut = user.through(unwritable())
    expect(await cut.for(ada, 'POST', '/files', folder())).toBeProblem(503, 'UNAVAILABLE')
    expect(await cut.for(ada, 'PUT', '/saves/a', { body: 'x' })).toBeProblem(503, 'UNAVAILABLE')
    expect(await estateOf(ada)).toEqual(before)
    expect(await entriesOf(user)).toEqual([])
  })

  it.each([
    [
      'a folder',
      (user: Support, ada: User) => user.for(ada, 'POST', '/files', folder()),
      async (ada: User) => (await ada.page()).files.length === 1,
    ],
    [
      'a save',
      (user: Support, ada: User) => user.for(ada, 'PUT', '/saves/a', { body: 'x' }),
      async (ada: User) => (await ada.get('/saves/a')).status === 200,
    ],
    [
      'a file with its content',
      (user: Support, ada: User) =>
        user.for(ada, 'POST', '/files/content?name=a', {
          body: new Uint8Array(3),
          headers: { 'Content-Type': 'text/plain' },
        }),
      async (ada: User) => (await ada.page()).files.length === 1,
    ],
  ])('that makes %s has its entry, wherever the Worker is killed', async (_, act, isDone) => {
    const statuses: (number | null | undefined)[] = []
    const deaths = await atEachMoment(async (at, when) => {
      const [ada, user] = [await signUp('ada'), await support()]
      const around = deathAt(at, when)
      let isDead = false
      const cut = outgoing(async (_, __, call) => {
        try {
          return await around(call)()
        } catch (error) {
          isDead ||= isDeath(error)
          throw error
        }
      })
      await act(user.through(serviceWith(cut)), ada)
      const entries = await entriesOf(user)
      expect(entries.length).toBeLessThanOrEqual(1)
      const status = entries[0]?.status
      statuses.push(status)
      const done = await isDone(ada)
      if (done) expect(entries).toHaveLength(1)
      if (status !== null && status !== undefined) expect(status < 300).toBe(done)
      return isDead
    })
    // Killed before the entry; between entry and act; after the act; and not at all.
    expect(deaths).toBeGreaterThanOrEqual(3)
    expect(statuses.slice(0, 2)).toEqual([undefined, null])
    expect(statuses.at(-1)).toBe(201)
  })

  it('gives the actor nothing that the audit and the player don’t show: a share with oneself', async () => {
    const [ada, user] = [await signUp('ada'), await support()]
    const file = await ada.file('notes', 'abc')
    const json = { grantee_id: user.id, permission: 'view' }
    const share = await user.for(ada, 'POST', `/files/${file.id}/shares`, { json })
    expect(share.status).toBe(201)
    expect(await entriesOf(user)).toMatchObject([
      { action: 'createShare', resource: file.id, reason: REASON },
    ])
    expect((await ada.get(`/files/${file.id}/shares`)).text).toContain(user.id)
    expect((await ada.revoke(idOf(share))).status).toBe(204)
  })

  it('names its actor in the event, and the player’s own names nobody', async () => {
    const { service } = serviceWithEvents()
    const [ada, user] = [await signUpCreator('ada', service), await support('players:write', service)]
    await ada.asset('own')
    const asset = await user.for(ada, 'POST', '/game/assets', { json: { name: 'theirs', type: 'world' } })
    const events = (await eventsAbout(ada.id)).filter(({ type }) => type === 'asset.created')
    expect(
      events.map(({ data }) => [data.asset_id === idOf(asset), data.branched_from_asset_id, data.actor]),
    ).toEqual(
      expect.arrayContaining([
        [false, null, undefined],
        [true, null, user.id],
      ]),
    )
    expect(events).toHaveLength(2)
  })
})

describe('the scopes of saves', () => {
  it('act on saves without a reason and without an entry, and nowhere else', async () => {
    const [ada, reader, server] = [
      await signUp('ada'),
      await support('saves:read'),
      await support('saves:write'),
    ]
    const headers = { 'On-Behalf-Of': ada.id }
    expect((await server.request('PUT', '/saves/a', { body: 'x', headers })).status).toBe(201)
    expect((await reader.get('/saves/a', headers)).text).toBe('x')
    expect((await server.get('/saves', headers)).body).toMatchObject({ saves: [{ slot: 'a' }] })
    expect(await reader.request('PUT', '/saves/a', { body: 'y', headers })).toBeProblem(403, 'FORBIDDEN')
    for (const user of [reader, server])
      for (const path of ['/files', '/notifications', '/quota'])
        expect(await user.get(path, headers)).toBeProblem(403, 'FORBIDDEN')
    for (const user of [reader, server]) expect(await entriesOf(user)).toEqual([])
  })

  it('count before those of support, where they allow it', async () => {
    const ada = await signUp('ada')
    const headers = { 'On-Behalf-Of': ada.id }
    const both = await support('players:write saves:write')
    expect((await both.request('PUT', '/saves/a', { body: 'x', headers })).status).toBe(201)
    expect((await both.get('/saves/a', headers)).status).toBe(200)
    expect(await entriesOf(both)).toEqual([])
    const reads = await support('players:write saves:read')
    expect((await reads.get('/saves/a', headers)).status).toBe(200)
    expect(await entriesOf(reads)).toEqual([])
    expect(await reads.request('DELETE', '/saves/a', { headers })).toBeProblem(400, 'VALIDATION_FAILED')
    expect((await reads.for(ada, 'DELETE', '/saves/a')).status).toBe(204)
    expect(await entriesOf(reads)).toMatchObject([
      { action: 'deleteSave', scope: 'players:write', resource: 'a', status: 204 },
      { action: 'deleteSave', status: 400 },
    ])
  })
})

describe('the cost', () => {
  it('is the two trips of an entry for an act, one an hour for reading, and nothing without the header', async () => {
    const { service, of } = meter()
    const [ada, user] = [await signUp('ada', service), await support('players:write', service)]
    const [own, theirs] = [
      await of(() => ada.folder('a')),
      await of(() => user.for(ada, 'POST', '/files', folder('b'))),
    ]
    expect(theirs.trips).toBe(own.trips + 2)
    const read = await of(() => ada.get('/files'))
    const first = await of(() => user.for(ada, 'GET', '/files'))
    expect(first).toMatchObject({ trips: read.trips + 1, rows_written: 4 })
    expect(await of(() => user.for(ada, 'GET', '/files'))).toEqual(read)
  })
})
