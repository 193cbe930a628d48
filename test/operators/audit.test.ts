import { describe, expect, it } from 'vitest'
import { requestTo } from '../http/authorisation/ask.ts'
import { type Relation, relations } from '../http/authorisation/relations.ts'
import { worldWith } from '../http/authorisation/things.ts'
import { made, type RequestOptions } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { overEvery } from '../support/databases.ts'
import { allEndpoints } from '../support/description.ts'
import { overridden } from '../support/meter.ts'
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
  const isAbout = place === '{id}' && !path.includes('announcements')
  return {
    user_id: place === '{user_id}' || isAbout ? ada.id : null,
    resource: place === '{id}' ? named.id : null,
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
      const created = operationId === 'publishAnnouncement' && { resource: Object(answer.body).id }
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
