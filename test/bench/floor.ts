import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import { jwtVerify } from 'jose'
import { newId, rowidOf } from '../../src/db/id.ts'
import { answers, type Row, type SigningEnv } from './floor-answers.ts'
import type { Parameter, Plan, Plans } from './plan.ts'

/**
 * The floor: what any handler would have to do for the same answer on the same runtime. It verifies the same
 * token, sends the service's own statements as they were recorded, and writes the same JSON; no framework, no
 * validation, no errors, no headers but the content type.
 */
export default {
  async fetch(request: Request, env: FloorEnv): Promise<Response> {
    const user_id = await callerOf(request, env)
    const plan = planOf(request, env)
    if (!plan) return new Response('There is no plan for this path.', { status: 404 })
    const body: unknown = request.method === 'GET' ? {} : await request.json()
    const now_ms = Date.now()
    const read = () => rowsOf(env.DB, plan, body, now_ms)
    const rows = plan.shape === 'token' ? [] : await read().catch(onceMore(read))
    const answer = await answers[plan.shape]({ rows, user_id, env, now: Math.floor(now_ms / 1000) })
    return Response.json(answer, { status: request.method === 'POST' ? 201 : 200 })
  },
}

/** Two ids may have one rowid. The service makes another id then, and so does this. */
function onceMore<Answer>(attempt: () => Promise<Answer>): (error: unknown) => Promise<Answer> {
  return async (error) => {
    if (String(error).includes('UNIQUE constraint failed: game_assets.number')) return attempt()
    throw error
  }
}

interface FloorEnv extends SigningEnv {
  DB: D1Database
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
  const token = request.headers.get('Authorization')?.slice('Bearer '.length) ?? ''
  const { payload } = await jwtVerify(token, await key, {
    algorithms: ['HS256'],
    requiredClaims: ['sub', 'exp'],
  })
  return payload.sub
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

/** Whether a statement is the one that every write begins with, which answers nothing (src/db/buckets.ts). */
function isFence(sql = ''): boolean {
  return sql.startsWith('INSERT INTO fence ')
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
    case 'rowid':
      return rowidOf(idAt(parameter.index, ids))
    case 'time':
      return Math.floor(now_ms / parameter.unit_ms) + parameter.offset
    case 'body':
      return Object(body)[parameter.member]
  }
}

function idAt(index: number, ids: string[]): string {
  const id = ids[index] ?? newId('floor') // v7 alone gives all ids of a millisecond one rowid
  ids[index] = id
  return id
}

export { Inbox, Janitor } from './no-objects.ts'
