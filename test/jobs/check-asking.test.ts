import { createExecutionContext, createMessageBatch, env, getQueueResult } from 'cloudflare:test'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { editFile } from '../../src/features/files/edit.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { consume } from '../../src/janitor/consume.ts'
import { askAgain } from '../../src/operators/checks/ask-again.ts'
import { giveVerdict } from '../../src/operators/checks/verdict.ts'
import type { Env } from '../../src/platform/config/env.ts'
import type { Named } from '../../src/platform/db/database.ts'
import { file, replacement } from '../support/acts.ts'
import { checkedWork, checker, serviceWithCheck } from '../support/checking.ts'
import { arrive, bytes } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseNames, databaseOf } from '../support/databases.ts'
import { silentQueue, webhook } from '../support/events.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { jobIn, runEach } from '../support/objects.ts'
import { serviceWith } from '../support/service.ts'
import { put } from '../support/user.ts'

const SECRET = `whsec_${btoa('a secret of the tests, of 32 byte')}`
const { service } = serviceWithCheck()

const Asked = z.object({
  type: z.literal('upload.check'),
  timestamp: z.iso.datetime(),
  data: z.object({
    upload_id: z.string(),
    owner_id: z.string(),
    kind: z.string(),
    mime_type: z.string(),
    size_bytes: z.number(),
    checksum_sha256: z.string().nullable(),
    url: z.string(),
    url_expires_at: z.number(),
    attempt: z.number(),
  }),
})

/** A checker that is bound as a Worker: it keeps what it was sent, and answers with a status. */
function boundChecker(status = 202) {
  const asked: { body: z.output<typeof Asked>; id: string | null }[] = []
  const fetcher = new Proxy(env.S3, {
    get: (target, name) => {
      if (name !== 'fetch') return Reflect.get(target, name)
      return async (...given: ConstructorParameters<typeof Request>) => {
        const request = new Request(...given)
        const text = await request.text()
        const verified = new Webhook(SECRET).verify(text, Object.fromEntries(request.headers))
        asked.push({ body: Asked.parse(verified), id: request.headers.get('webhook-id') })
        return new Response(null, { status })
      }
    },
  })
  return { fetcher, asked }
}

/** Hands messages to the Worker's consumer. Returns those that it acknowledged, and those that come again. */
async function consumed(bindings: Partial<Env>, ...upload_ids: string[]) {
  const messages = upload_ids.map((upload_id, index) => ({
    id: String(index),
    timestamp: new Date(),
    attempts: 1,
    body: { kind: 'check', upload_id },
  }))
  const batch = createMessageBatch('edge-game-storage-checks', messages)
  const context = createExecutionContext()
  await consume(batch, { ...env, CONTENT_CHECK_SECRET: SECRET, ...bindings } as Env)
  const { explicitAcks, retryMessages } = await getQueueResult(batch, context)
  return { acknowledged: explicitAcks, again: retryMessages.map(({ msgId }) => msgId) }
}

/** An upload that waits for its verdict. */
async function waiting(ada: Creator, content = 'new') {
  const upload = await ada.upload({ size_bytes: content.length })
  await put(upload, bytes(content))
  expect((await ada.complete(upload)).status).toBe(202)
  return upload.id
}

const rowOf = (id: string) =>
  databaseOf(id)
    .prepare('SELECT check_attempts, check_next_at, check_began_at, expires_at FROM uploads WHERE id = ?')
    .bind(id)
    .first<Record<string, number>>()

/** What the job does for checks, in every database, so many seconds from now. */
async function job(seconds: number, bindings: Partial<Env> = {}) {
  const { queue, sent } = silentQueue()
  const reports = []
  for (const name of databaseNames)
    reports.push(
      await askAgain(jobIn(seconds / 86_400, name), {
        CONTENT_CHECK: boundChecker().fetcher,
        CHECKS: queue,
        ...bindings,
      }),
    )
  const ids = sent.flatMap((message) => (message.kind === 'check' ? message.upload_id : []))
  return { ids, waiting: reports.reduce((sum, report) => sum + (report?.checks_waiting ?? 0), 0), reports }
}

afterEach(async () => {
  for (const name of databaseNames)
    await contextOf('nobody')
      .databases.unfenced(name)
      .send([{ sql: "DELETE FROM uploads WHERE check_state = 'waiting'", params: [] }])
})

describe('the checker', () => {
  it('is told what it has to look at, signed, with a URL that reads this content alone', async () => {
    const ada = await signUpCreator('ada', service)
    const id = await waiting(ada)
    const { fetcher, asked } = boundChecker()
    expect(await consumed({ CONTENT_CHECK: fetcher }, id)).toEqual({ acknowledged: ['0'], again: [] })
    const [{ body } = { body: undefined }] = asked
    expect(body?.data).toMatchObject({
      upload_id: id,
      owner_id: ada.id,
      kind: 'file',
      mime_type: 'application/octet-stream',
      size_bytes: 3,
      checksum_sha256: null,
      attempt: 1,
    })
    const { url = '', url_expires_at = 0 } = body?.data ?? {}
    const response = await ada.fetchSigned(url)
    expect(await response.text()).toBe('new')
    expect(response.headers.get('Content-Disposition')).not.toContain('inline')
    expect(url_expires_at - Date.now() / 1_000).toBeLessThanOrEqual(900)
    const other = await waiting(ada, 'other')
    expect((await ada.fetchSigned(url.replace(id, other))).status).toBe(403)
    expect((await env.S3.fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403)
    expect((await env.S3.fetch(url, { method: 'DELETE' })).status).toBe(403)
  })

  it('that does not take an upload is asked again by the queue; nothing is ready meanwhile', async () => {
    const ada = await signUpCreator('ada', service)
    const [good, bad] = [await waiting(ada), await waiting(ada)]
    const failing = boundChecker(500)
    expect(await consumed({ CONTENT_CHECK: failing.fetcher }, good, bad)).toEqual({
      acknowledged: [],
      again: ['0', '1'],
    })
    expect((await ada.get(`/uploads/${good}`)).body).toMatchObject({ processing_state: 'processing' })
    const { fetcher, asked } = boundChecker()
    expect(await consumed({ CONTENT_CHECK: fetcher }, good)).toEqual({ acknowledged: ['0'], again: [] })
    expect(asked[0]?.body.data.attempt).toBe(2)
    expect(asked[0]?.id, 'no receiver takes it for the same message').not.toBe(failing.asked[0]?.id)
  })

  it('is not asked about what needs no verdict any more', async () => {
    const ada = await signUpCreator('ada', service)
    const [aborted, erased] = [await waiting(ada), await waiting(ada)]
    await ada.abort(aborted)
    // An erasure that has not removed any row yet.
    await databaseOf(erased)
      .prepare(`INSERT INTO erasures (user_id, until, mark) VALUES (?, unixepoch() + 60, '')`)
      .bind(ada.id)
      .run()
    const { fetcher, asked } = boundChecker()
    expect(await consumed({ CONTENT_CHECK: fetcher }, aborted, erased, 'nobody')).toEqual({
      acknowledged: ['0', '1', '2'],
      again: [],
    })
    expect(asked).toEqual([])
  })

  it('is not asked about content that its file no longer expects when the check would begin', async () => {
    const { work, asked } = checkedWork(newUserId())
    const { id, revision } = await file(contextOf(work.user_id))
    const { upload } = await replacement(work, id, [revision])
    await arrive(upload.id)
    let isChanged = false
    const db = overridden(work.db, {
      // The file changes after the completion has read it.
      write: async (statements: Named) => {
        const rows = await work.db.write(statements)
        if (!isChanged) await editFile(contextOf(work.user_id), id, { name: 'changed' })
        isChanged = true
        return rows
      },
    })
    const completing = completeUpload({ ...work, db }, upload.id)
    await expect(completing).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect([...asked]).toEqual([])
  })

  it('that is not configured any more is not asked, and what waits goes on waiting', async () => {
    const ada = await signUpCreator('ada', service)
    const id = await waiting(ada)
    expect(await consumed({}, id)).toEqual({ acknowledged: ['0'], again: [] })
    expect((await new (ada.constructor as typeof Creator)(ada.id, ada.token).complete(id)).status).toBe(202)
  })
})

describe('checks and events', () => {
  it('have a queue each, so that neither waits for the other', async () => {
    const [events, checks] = [silentQueue(), silentQueue()]
    const both = serviceWith({
      ...webhook,
      ...checker('file'),
      EVENTS: events.queue,
      CHECKS: checks.queue,
    })
    const ada = await signUpCreator('ada', both)
    const id = await waiting(ada)
    await ada.abort(await waiting(ada))
    expect(checks.sent).toContainEqual({ kind: 'check', upload_id: id })
    expect(events.sent.length).toBeGreaterThan(0)
    expect(new Set(events.sent.map(({ kind }) => kind))).toEqual(new Set(['events']))
    expect(new Set(checks.sent.map(({ kind }) => kind))).toEqual(new Set(['check']))
  })

  it('are handled whichever queue a version before has put them in', async () => {
    const ada = await signUpCreator('ada', service)
    const id = await waiting(ada)
    const { fetcher, asked } = boundChecker()
    const messages = [{ id: '0', timestamp: new Date(), attempts: 1, body: { kind: 'check', upload_id: id } }]
    const batch = createMessageBatch('edge-game-storage-events', messages)
    await consume(batch, { ...env, CONTENT_CHECK_SECRET: SECRET, CONTENT_CHECK: fetcher } as Env)
    expect(asked).toHaveLength(1)
  })
})

it('a verdict after nine days leaves the owner the time to complete what could not be completed then', async () => {
  const ada = await signUpCreator('ada', service)
  const upload = await ada.sent({ name: 'castle', asset_type: 'world' })
  expect((await ada.complete(upload)).status).toBe(202)
  await new (ada.constructor as typeof Creator)(ada.id, ada.token).asset('castle')
  const late = contextOf('checker', { now_ms: Date.now() + 9 * 86_400_000 })
  await giveVerdict(late, upload.id, { verdict: 'ready' })
  await runEach(9.5)
  expect(await ada.complete(upload)).toBeProblem(409, 'DUPLICATE_ASSET_NAME')
  expect((await ada.complete(upload, { name: 'tower' })).status).toBe(200)
})

describe('a verdict that never comes', () => {
  it('is asked for again by the job, after growing pauses, and what waits never expires', async () => {
    const ada = await signUpCreator('ada', service)
    const id = await waiting(ada)
    const { fetcher } = boundChecker()
    expect((await job(30)).ids, 'the message of the request comes first').toEqual([])
    expect((await job(61)).ids).toEqual([id])
    const pauses = []
    for (let attempt = 1; attempt <= 5; attempt++) {
      await consumed({ CONTENT_CHECK: fetcher }, id)
      const row = await rowOf(id)
      const pause = (row?.check_next_at ?? 0) - Math.floor(Date.now() / 1_000)
      pauses.push(Math.round(pause / 60))
      expect(row?.expires_at).toBeGreaterThan(row?.check_next_at ?? 0)
      expect((await job(pause - 30)).ids).not.toContain(id)
      expect((await job(pause + 30)).ids).toContain(id)
    }
    expect(pauses).toEqual([5, 15, 60, 360, 360])
  })

  it('shows in what the job says: how much waits, and for how long', async () => {
    const ada = await signUpCreator('ada', service)
    await Promise.all([waiting(ada), waiting(ada)])
    const { waiting: count, reports } = await job(600)
    expect(count).toBe(2)
    const oldest = Math.max(...reports.map((report) => report?.oldest_check_seconds ?? 0))
    expect(oldest).toBeGreaterThanOrEqual(595)
    expect(oldest).toBeLessThan(700)
  })
})

it('without a checker the job asks the database nothing for checks', async () => {
  const ctx = jobIn(0)
  expect(await askAgain(ctx, {})).toBeUndefined()
  expect(ctx.databases.statements).toBe(0)
})
