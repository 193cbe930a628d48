import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { requestTo } from '../http/authorisation/ask.ts'
import { type Relation, relations } from '../http/authorisation/relations.ts'
import { worldWith } from '../http/authorisation/things.ts'
import { made, type RequestOptions } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { countOf, overEvery } from '../support/databases.ts'
import { allEndpoints } from '../support/description.ts'
import { newUserId, unknownId } from '../support/ids.ts'
import { meter, overridden } from '../support/meter.ts'
import { runJobIn } from '../support/objects.ts'
import { records } from '../support/records.ts'
import { type Fetch, serviceWith } from '../support/service.ts'
import { operator, type User } from '../support/user.ts'

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const scoped = (await allEndpoints()).filter(({ operation }) => operation['x-scopes'] !== undefined)
const allScopes = [...new Set(scoped.flatMap(({ operation }) => operation['x-scopes'] ?? []))].join(' ')
const changing = scoped.filter(({ method }) => method !== 'GET')

/** The acts under a scope that leave no entry. */
const EXEMPT = ['publishNotification', 'publishNotifications', 'setVerdict']

const auditor = await operator('audit:read')

/** A page of the audit. Fails unless it succeeds. */
async function pageOf(query: Record<string, string | number> = {}, reader: User = auditor) {
  const params = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return made(records.AuditPage, await reader.get(`/audit?${params}`), 200)
}

/** What a user or service did, the newest first. */
async function entriesOf(actor: User) {
  return (await pageOf({ actor: actor.id, limit: 100 })).entries
}

/** Each route of an act under a scope, with what it is about. */
const acts = changing.map((endpoint) => {
  const relation = relations.find((row) => nameOf(row) === nameOf(endpoint))
  if (!relation) throw new Error(`no row in relations.ts: ${nameOf(endpoint)}`)
  return [nameOf(endpoint), endpoint, relation] as const
})

/** What the entry of an act names: the user and the thing. */
function namedBy({ path, place }: Relation, ada: User, named: { id: string }) {
  const isAbout = (place === '{id}' && !/announcements|recalls/.test(path)) || place === '.target'
  return {
    user_id: place === '{user_id}' || isAbout ? ada.id : null,
    resource: place === '{id}' || place === '.target' ? named.id : null,
  }
}

const why = { 'Audit-Reason': encodeURIComponent('Ada’s parents asked for it') }

describe.each(acts)('%s', (_, endpoint, relation) => {
  const { operationId } = endpoint.operation
  const isExempt = EXEMPT.includes(operationId)

  it(
    isExempt ? 'leaves no entry' : 'leaves one entry: who, what, whom, why and with which answer',
    async () => {
      const { ada, named } = await worldWith(relation.thing)
      const actor = await operator(allScopes)
      const { method, path, json = {}, body } = requestTo(endpoint, relation.place, named.id)
      const repair = operationId === 'reconcilePage' && { repair: true }
      const sent = endpoint.operation.requestBody ? { json: { ...json, ...repair }, body } : {}
      const answer = await actor.request(method, path, { ...sent, headers: why })
      expect(answer.status).toBeLessThan(300)
      const found = await entriesOf(actor)
      if (isExempt) return expect(found).toEqual([])
      const isCreated = ['publishAnnouncement', 'createRecall'].includes(operationId)
      const created = isCreated && { resource: Object(answer.body).id }
      const opened = operationId === 'openCase' && { user_id: ada.id, resource: named.id }
      // The job may have to finish it.
      const erased = operationId === 'eraseUser' && { user_id: expect.any(String), reason: found[0]?.reason }
      expect(found).toEqual([
        {
          id: expect.stringMatching(/^[\da-f-]{36}$/),
          at: expect.closeTo(Date.now() / 1_000, -1),
          actor: actor.id,
          scope: endpoint.operation['x-scopes']?.[0],
          action: operationId,
          ...namedBy(relation, ada, named),
          ...created,
          ...opened,
          reason: 'Ada’s parents asked for it',
          ...erased,
          request_id: answer.headers.get('X-Request-Id'),
          status: answer.status,
        },
      ])
    },
  )

  it(`leaves ${isExempt ? 'none' : 'one'} when it is refused for what it says, and none without the scope`, async () => {
    const actor = await operator(allScopes)
    const { method, path } = requestTo(endpoint, relation.place, 'somebody')
    const bad: RequestOptions = endpoint.operation.requestBody
      ? { body: '{', headers: { 'Content-Type': 'application/json' } }
      : { headers: { 'Audit-Reason': '%' } }
    const answer = await actor.request(method, path, bad)
    expect(answer.status).toBe(400)
    const { place } = relation
    const named = {
      user_id: place === '{user_id}' ? 'somebody' : null,
      resource: place === '{id}' ? 'somebody' : null,
    }
    const refused = {
      action: operationId,
      ...named,
      request_id: answer.headers.get('X-Request-Id'),
      status: 400,
    }
    expect(await entriesOf(actor)).toMatchObject(isExempt ? [] : [refused])
    const player = await operator('audit:read')
    expect(await player.request(method, path, bad)).toBeProblem(403, 'FORBIDDEN')
    expect(await entriesOf(player)).toEqual([])
  })
})

/** A service over databases in which `prepare` takes the place of a session's own. */
function preparing(prepare: (query: string, session: D1DatabaseSession) => unknown): Fetch {
  const changed = (session: D1DatabaseSession) =>
    overridden(session, { prepare: (query: string) => prepare(query, session) })
  return serviceWith(
    overEvery((database) =>
      overridden(database, {
        withSession: (constraint: string) => changed(database.withSession(constraint)),
      }),
    ),
  )
}

/** Whether a statement writes an entry. */
const isEntry = (query: string) => query.includes('INTO "audit"')

async function isBlocked(ada: User, asset: { id: string }): Promise<boolean> {
  return (
    Object(made(records.GameAssetWithVersions, await ada.get(`/game/assets/${asset.id}`), 200)).blocked ===
    true
  )
}

describe('an act', () => {
  it.each(['decisions', 'appeal', 'lifting'])(
    'that is refused names the owner of its case: %s',
    async (what) => {
      const { ada, named } = await worldWith('case')
      const [mod, again] = [await operator('content:moderate'), await operator('content:moderate')]
      const at = `/moderation/cases/${named.id}`
      const json = { action: 'warn', ground: 'terms', statement: 'Look at the rules.' }
      const decided = await mod.request('POST', `${at}/decisions`, { json })
      expect(decided.status).toBe(201)
      const id = String(Object(decided.body).id)
      if (what === 'decisions')
        expect((await again.request('POST', `${at}/decisions`, { json })).status).toBe(409)
      const answer = { json: { outcome: 'upheld', answer: 'It stays.' } }
      if (what === 'appeal') expect((await again.request('POST', `${at}/appeal`, answer)).status).toBe(409)
      if (what === 'lifting') {
        await ada.request('POST', `/decisions/${id}/appeal`, { json: { text: 'Look again.' } })
        expect((await mod.request('DELETE', `/moderation/decisions/${id}`)).status).toBe(403)
      }
      const [entry] = await entriesOf(what === 'lifting' ? mod : again)
      expect(entry).toMatchObject({ user_id: ada.id, status: what === 'lifting' ? 403 : 409 })
    },
  )

  it('names what its body names: a user, or a thing with the form of an id, and no other text', async () => {
    const mod = await operator('content:moderate')
    const [id, user_id] = [unknownId, newUserId()]
    for (const target of [
      { type: 'asset', id: '\u202e\u0000not an id' },
      { type: 'file', id },
      { type: 'user', id: user_id },
    ])
      expect((await mod.request('POST', '/moderation/cases', { json: { target } })).status).toBe(404)
    expect(await entriesOf(mod)).toMatchObject([
      { user_id, resource: null },
      { user_id: null, resource: id },
      { user_id: null, resource: null },
    ])
  })

  it('does nothing when its entry can’t be written', async () => {
    const ada = await signUpCreator('ada')
    const asset = await ada.asset('a')
    const failing = {
      bind: () => failing,
      all: () => Promise.reject(new Error('D1_ERROR: Network connection lost.')),
    }
    const unwritable = preparing((query, session) => (isEntry(query) ? failing : session.prepare(query)))
    const moderator = await operator('content:moderate')
    const answer = await moderator.through(unwritable).request('PUT', `/game/assets/${asset.id}/block`)
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(await isBlocked(ada, asset)).toBe(false)
    expect(await entriesOf(moderator)).toEqual([])
  })

  it.each([
    ['before it', 1, false],
    ['after it', 2, true],
  ])('that is cut off %s leaves an entry without a status', async (_, writes, isDone) => {
    const ada = await signUpCreator('ada')
    const asset = await ada.asset('a')
    const moderator = await operator('content:moderate')
    let written = 0
    // A Worker that is killed sends nothing more.
    const cut = preparing((query, session) => {
      if (isEntry(query)) written++
      if (written > writes || (written === writes && (isDone || !isEntry(query)))) throw new Error('killed')
      return session.prepare(query)
    })
    await moderator.through(cut).request('PUT', `/game/assets/${asset.id}/block`)
    expect(await isBlocked(ada, asset)).toBe(isDone)
    expect(await entriesOf(moderator)).toMatchObject([
      { action: 'blockAsset', user_id: null, resource: asset.id, status: null },
    ])
  })
})

const DAY = 86_400

/** Entries of an actor, one a second, the first `from` seconds ago. Every third is about the user, every fifth is another action. */
async function seeded(count: number, actor = newUserId(), user_id = newUserId(), from = 2_000_000) {
  const first = Math.floor(Date.now() / 1_000) - from
  await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1)
      INSERT INTO audit (id, at, actor, scope, action, user_id, resource, reason, request_id, status)
      SELECT printf('%08x-%04x-7000-8000-%s', (?2 + n) * 1000 >> 16, (?2 + n) * 1000 & 65535, lower(hex(randomblob(6)))), ?2 + n, ?3,
        'quota:write', iif(n % 5 = 0, 'eraseUser', 'setQuotaOfUser'), iif(n % 3 = 0, ?4, NULL), 'thing', 'why', 'request-1', 200
      FROM numbers`,
  )
    .bind(count, first, actor, user_id)
    .run()
  const numbers = Array.from({ length: count }, (_, n) => n)
  const all = numbers.map((n) => ({
    at: first + n,
    actor,
    action: n % 5 === 0 ? 'eraseUser' : 'setQuotaOfUser',
    user_id: n % 3 === 0 ? user_id : null,
  }))
  return { actor, user_id, first, newestFirst: all.toReversed() }
}

/** Every entry of a list, page by page. */
async function everyEntry(query: Record<string, string | number>, reader = auditor) {
  const entries: Awaited<ReturnType<typeof pageOf>>['entries'] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(
      { ...query, ...(cursor && { cursor }) },
      reader,
    )
    entries.push(...page.entries)
    cursor = page.next_cursor
  } while (cursor)
  return entries
}

describe('GET /v1/audit', () => {
  it('lists the newest first, by actor, user, action and time, in pages', async () => {
    const { actor, user_id, first, newestFirst } = await seeded(40)
    const filters: Record<string, string>[] = [
      { actor },
      { user_id },
      { actor, user_id },
      { actor, action: 'eraseUser' },
      { actor, user_id, action: 'eraseUser' },
    ]
    for (const filter of filters)
      for (const [from, to] of [
        [0, 9e9],
        [first + 7, 9e9],
        [0, first + 30],
        [first + 7, first + 30],
      ] as const) {
        const wanted = newestFirst.filter(
          (entry) =>
            entry.at >= from &&
            entry.at < to &&
            Object.entries(filter).every(([name, value]) =>
              Object.entries(entry).some(([key, of]) => key === name && of === value),
            ),
        )
        const found = await everyEntry({ ...filter, from, to, limit: 7 })
        expect(found.map(({ at, actor, action, user_id }) => ({ at, actor, action, user_id }))).toEqual(
          wanted,
        )
        expect(wanted.length).toBeGreaterThan(0)
      }
    const some = await everyEntry({ action: 'eraseUser', from: first, to: first + 40 })
    expect(some.map(({ at }) => at)).toEqual(
      newestFirst.filter(({ action }) => action === 'eraseUser').map(({ at }) => at),
    )
  })

  it('reads at most a thousand entries of one index for a page, and goes on behind them', async () => {
    const { service, of } = meter()
    const { actor, first } = await seeded(2_500, undefined, undefined, 9_000_000)
    const wanted = { actor, action: 'blockFile' }
    await env.DB.prepare(`UPDATE audit SET action = 'blockFile' WHERE actor = ?1 AND at = ?2`)
      .bind(actor, first)
      .run()
    const reader = auditor.through(service)
    let cursor: string | null = null
    const counts: number[] = []
    do {
      const query: Record<string, string> = cursor === null ? wanted : { ...wanted, cursor }
      const cost = await of(async () => {
        const page = await pageOf(query, reader)
        counts.push(page.entries.length)
        cursor = page.next_cursor
      })
      expect(cost).toMatchObject({ trips: 1, rows_written: 0 })
      expect(cost.rows_read).toBeLessThanOrEqual(2_000)
    } while (cursor)
    expect(counts).toEqual([0, 0, 1])
    const single: Record<string, string>[] = [{}, { actor }, { action: 'setQuotaOfUser' }]
    for (const filter of single) {
      const { rows_read } = await of(() => pageOf({ ...filter, limit: 100 }, reader))
      expect(rows_read).toBeLessThanOrEqual(101)
    }
  })

  it('refuses a cursor of another list, and times that are none', async () => {
    const { actor } = await seeded(3)
    const { next_cursor } = await pageOf({ actor, limit: 1 })
    expect(await auditor.get(`/audit?limit=1&cursor=${next_cursor}`)).toBeProblem(400, 'INVALID_CURSOR')
    for (const query of ['from=x', 'to=-1', 'from=1.5', 'to=1e15', 'action=a%20b', 'actor=', 'user_id=%00'])
      expect(await auditor.get(`/audit?${query}`), query).toBeProblem(400, 'VALIDATION_FAILED')
  })
})

describe('entries', () => {
  it('are kept for as many days as the setting says', async () => {
    const actor = newUserId()
    await seeded(3, actor, undefined, 11 * DAY)
    await seeded(2, actor, undefined, 9 * DAY)
    const report = await runJobIn(0, { AUDIT_RETENTION_DAYS: 10 })
    expect(report.audit_deleted).toBeGreaterThanOrEqual(3)
    expect(await countOf('audit WHERE actor = ?', actor)).toBe(2)
    await runJobIn(0, { AUDIT_RETENTION_DAYS: 8 })
    expect(await countOf('audit WHERE actor = ?', actor)).toBe(0)
  })

  it('have the mark of an erasure in place of the user, as actor and as the one whom they are about', async () => {
    const [ada, eraser] = [await signUpCreator('ada'), await operator('users:erase')]
    await seeded(700, ada.id)
    await seeded(1_900, undefined, ada.id)
    const asset = await ada.asset('a')
    const moderator = await operator('content:moderate')
    await moderator.request('PUT', `/game/assets/${asset.id}/block`, { json: { reason: 'says “Ada”' } })
    const answer = await eraser.request('DELETE', `/users/${ada.id}`, { headers: why })
    expect(answer.status).toBe(202)
    await runJobIn(0)
    expect(await countOf('erasures WHERE user_id = ?', ada.id)).toBe(1)
    await runJobIn(0.01)
    expect(await countOf('erasures WHERE user_id = ?', ada.id)).toBe(0)
    expect(await countOf('audit WHERE actor = ?1 OR user_id = ?1 OR resource = ?1', ada.id)).toBe(0)
    const [erased] = await entriesOf(eraser)
    expect(erased).toMatchObject({ action: 'eraseUser', status: 202, resource: null, reason: null })
    const mark = erased?.user_id ?? ''
    expect(await countOf('audit WHERE actor = ?', mark)).toBe(700)
    const about = await everyEntry({ user_id: mark, limit: 100 })
    expect(about).toHaveLength(634 + 2)
    expect(about.filter(({ resource, reason }) => resource !== null || reason !== null)).toEqual([])
    expect(await entriesOf(moderator)).toMatchObject([{ action: 'blockAsset', user_id: mark, status: 204 }])
    // What is done afterwards has the id.
    const again = await operator('quota:write')
    await again.request('PUT', `/users/${ada.id}/quota`, { json: { limit_bytes: 1 } })
    expect(await entriesOf(again)).toMatchObject([{ user_id: ada.id, reason: null }])
  })
})
