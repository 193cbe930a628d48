import type { D1Database, D1PreparedStatement, R2Bucket } from '@cloudflare/workers-types'
import { jwtVerify } from 'jose'
import { newId } from '../src/platform/db/id.ts'
import type { Publication } from './bare-inbox.ts'
import { answers, type Row, type SigningEnv } from './floor-answers.ts'
import type { Parameter, Plan, Plans } from './plan.ts'

/**
 * The floor: the least that a handler has to do for the same answer on the same runtime. Verifies the same token, sends the
 * service's recorded statements, writes the same JSON, and logs a line for each request. Has no framework, no validation, no
 * errors, and no headers except Content-Type.
 */
export default {
  async fetch(request: Request, env: FloorEnv): Promise<Response> {
    const user_id = await callerOf(request, env)
    if (new URL(request.url).pathname.startsWith('/v1/notifications')) {
      const began_ms = Date.now()
      const answer = await inboxAnswer(request, env, user_id)
      logRequest(began_ms)
      return answer
    }
    const plan = planOf(request, env)
    if (!plan) return new Response('There is no plan for this path.', { status: 404 })
    const isContent = plan.shape === 'content'
    const content = isContent ? await request.arrayBuffer() : undefined
    const body: unknown = request.method === 'GET' || isContent ? {} : await request.json()
    const now_ms = Date.now()
    const read = () => rowsOf(env.DB, plan, body, now_ms)
    const rows = plan.shape === 'token' ? [] : await read()
    if (content) await stored(content, rows.flat(), request.headers, env)
    const answer = await answers[plan.shape]({ rows, user_id, env, now: Math.floor(now_ms / 1000) })
    logRequest(now_ms)
    return Response.json(answer, {
      status: request.method === 'POST' && !plan.shape.includes('downloads') ? 201 : 200,
    })
  },
}

/** A line for each request, as any service logs. */
function logRequest(began_ms: number): void {
  console.log(`{"message":"request","status":200,"ms":${Date.now() - began_ms}}`)
}

/** Puts content under the key that the new row of the file has. Storage compares it with its digest. */
async function stored(content: ArrayBuffer, rows: Row[], headers: Headers, env: FloorEnv): Promise<void> {
  const sha256 = /:(.*):/.exec(headers.get('Content-Digest') ?? '')?.[1] ?? ''
  const key = rows.find(({ object_key }) => object_key)?.object_key
  const digest = Uint8Array.from(atob(sha256), (character) => character.charCodeAt(0))
  await env.BUCKET.put(String(key), content, { sha256: digest })
}

interface FloorEnv extends SigningEnv {
  DB: D1Database
  BUCKET: R2Bucket
  INBOX: { getByName(user_id: string): BareInbox }
  JWT_SECRET: string
  /** As JSON. */
  PLANS: string
}

let plans: Plans | undefined

function planOf(request: Request, env: FloorEnv): Plan | undefined {
  const known: Plans = plans ?? JSON.parse(env.PLANS)
  plans = known
  return known[request.headers.get('X-Hot-Path') ?? '']
}

let key: Promise<CryptoKey> | undefined

async function callerOf(request: Request, env: FloorEnv): Promise<string | undefined> {
  key ??= crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(env.JWT_SECRET),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const token = tokenIn(request.headers)
  const { payload } = await jwtVerify(token, await key, {
    algorithms: ['HS256'],
    requiredClaims: ['sub', 'exp'],
  })
  return payload.sub
}

/** The token in `Authorization`, or in the subprotocols of a WebSocket. */
function tokenIn(headers: Headers): string {
  const header = headers.get('Authorization')
  if (header !== null) return header.slice('Bearer '.length)
  return headers.get('Sec-WebSocket-Protocol')?.split('bearer.')[1] ?? ''
}

/** The rows of each statement of the plan, without those of fences. */
async function rowsOf(db: D1Database, plan: Plan, body: unknown, now_ms: number): Promise<Row[][]> {
  const ids: string[] = []
  const rows: Row[][] = []
  for (const trip of plan.trips) {
    const statements = trip.map(({ sql, parameters }) =>
      db.prepare(sql).bind(...parameters.map((parameter) => made(parameter, body, ids, now_ms))),
    )
    for (const [i, { results }] of (await sent(db, statements)).entries())
      if (!isFence(trip[i]?.sql)) rows.push(results)
  }
  return rows
}

/** Whether a statement is the fence that precedes a write and returns no rows (src/platform/shards/partitions.ts). */
function isFence(sql = ''): boolean {
  return /^INSERT INTO (fence|partition_fence|linked_partition_fence) /.test(sql)
}

async function sent(db: D1Database, statements: D1PreparedStatement[]): Promise<{ results: Row[] }[]> {
  const [only, ...others] = statements
  return only && others.length === 0 ? [await only.all<Row>()] : db.batch<Row>(statements)
}

function made(parameter: Parameter, body: unknown, ids: string[], now_ms: number): unknown {
  switch (parameter.kind) {
    case 'value':
      return parameter.value
    case 'id':
      return idAt(parameter.index, ids)
    case 'time':
      return Math.floor(now_ms / parameter.unit_ms) + parameter.offset
    case 'body':
      return Object(body)[parameter.member]
  }
}

function idAt(index: number, ids: string[]): string {
  const id = ids[index] ?? newId('floor')
  ids[index] = id
  return id
}

/** The methods of `bare-inbox.ts`, over RPC. */
interface BareInbox {
  publish(publication: Publication): Promise<object>
  page(): Promise<object>
  count(): Promise<object>
  readAll(): Promise<object>
  fetch(request: Request): Promise<Response>
}

async function inboxAnswer(request: Request, env: FloorEnv, user_id = ''): Promise<Response> {
  if (request.headers.has('Upgrade')) return env.INBOX.getByName(user_id).fetch(request)
  const route = `${request.method} ${new URL(request.url).pathname}`
  switch (route) {
    case 'POST /v1/notifications': {
      const publication: Publication = await request.json()
      return Response.json(await env.INBOX.getByName(publication.user_id).publish(publication), {
        status: 201,
      })
    }
    case 'GET /v1/notifications':
      return Response.json(await env.INBOX.getByName(user_id).page())
    case 'GET /v1/notifications/unread-count':
      return Response.json(await env.INBOX.getByName(user_id).count())
    case 'POST /v1/notifications/read':
      return Response.json(await env.INBOX.getByName(user_id).readAll())
    default:
      return new Response(`The floor has no ${route}.`, { status: 404 })
  }
}

export { Inbox } from './bare-inbox.ts'
export { Janitor, Saves } from './no-objects.ts'
