import { applyD1Migrations, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { steps } from '../../src/features/notifications/migrations.ts'
import { steps as stepsOfSaves } from '../../src/features/saves/migrations.ts'
import { createTables } from '../../src/platform/lib/durable-object.ts'
import { inboxNotes, moverNotes, notes, notesOfSeveral } from './noted-plans.ts'
import { faultsOf, type Known, type Note, notesFor, type PlanLine, parametersOf } from './plans.ts'

/** The statements that the service has sent to D1 and to its inboxes since this runtime began, each once. */
export const sent = { database: new Set<string>(), mover: new Set<string>(), inbox: new Set<string>() }

/** How many of these an earlier file of this runtime has checked: a set keeps their order. */
const checked = { database: 0, mover: 0, inbox: 0 }

/** Test files that share a runtime share its prototypes, too. */
let isTraced = false

/**
 * Records every statement that the service sends from now on. Tests, Worker and objects share one isolate with these two
 * prototypes. A test's own statements are not recorded.
 */
export async function traceStatements(): Promise<void> {
  if (isTraced) return
  isTraced = true
  const session: D1DatabaseSession = Object.getPrototypeOf(env.DB.withSession())
  session.prepare = noting(session.prepare, ([query]) => {
    if (sent.database.has(query) || sent.mover.has(query)) return
    const sender = senderOf()
    if (sender) sent[sender].add(query)
  })
  await inScratch(({ sql }) => {
    const prototype: SqlStorage = Object.getPrototypeOf(sql)
    prototype.exec = noting(prototype.exec, ([query]) => {
      if (!sent.inbox.has(query) && senderOf()) sent.inbox.add(query)
    })
  })
}

/**
 * Who asks, when it is the service's own code; tests use its `Database`, too. The mover of partitions (src/operators/shards/mover) has notes of
 * its own: it reads all that some users have, in the order of keys.
 */
function senderOf(): 'database' | 'mover' | undefined {
  const stack = wholeStack()
  if (stack.includes('/src/operators/shards/mover/')) return 'mover'
  return /\/src\/(?!platform\/(?:db\/(?:database|session)|shards\/route)\.ts)/.test(stack)
    ? 'database'
    : undefined
}

/** The files of the caller's stack. The ten frames of an Error end before the service's own code where a test measures what it sends. */
function wholeStack(): string {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = 100
  // Vitest's own maps each frame to its source, which takes longer than many statements do.
  Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName()).join('\n')
  const { stack = '' } = new Error()
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  return stack
}

function noting<Method extends (...values: never[]) => unknown>(
  method: Method,
  note: (values: Parameters<Method>) => void,
): Method {
  return new Proxy(method, {
    apply(target, self, values: Parameters<Method>) {
      note(values)
      return Reflect.apply(target, self, values)
    },
  })
}

/** The result of checking the plans of all sent statements. */
export interface Traced {
  /** For each statement with faults: the faults, the statement and its plan. */
  faults: string[]
  /** The notes that a plan needed. */
  used: Note[]
}

/** Checks the plans of all statements that were sent for the first time since the last call. */
export async function tracedPlans(): Promise<Traced> {
  // A test may have emptied the database.
  await applyD1Migrations(env.DB, env.MIGRATIONS)
  const database = unchecked('database')
  const mover = unchecked('mover')
  const known = await knownOfDatabase()
  const inbox = unchecked('inbox').filter((query) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(query))
  const judged = [
    judge(database, await plansInDatabase(database), known),
    judge(mover, await plansInDatabase(mover), { ...known, notes: [...known.notes, ...moverNotes] }),
    judge(inbox, await plansInInbox(inbox), {
      tables: ['notifications', 'events', 'counters', 'idempotency', 'outbox', 'revisions'],
      coarse: new Set(['state', 'type']),
      notes: inboxNotes,
    }),
  ]
  return { faults: judged.flatMap(({ faults }) => faults), used: judged.flatMap(({ used }) => used) }
}

function unchecked(kind: keyof typeof sent): string[] {
  const statements = [...sent[kind]].slice(checked[kind])
  checked[kind] = sent[kind].size
  return statements
}

function judge(queries: string[], plans: PlanLine[][], known: Known): Traced {
  const used = queries.flatMap((query, index) => notesFor(query, plans[index] ?? [], known))
  return { faults: faultsIn(queries, plans, known), used: [...new Set(used)] }
}

function faultsIn(queries: string[], plans: PlanLine[][], known: Known): string[] {
  return queries.flatMap((query, index) => {
    const plan = plans[index] ?? []
    const faults = faultsOf(query, plan, known)
    const lines = plan.map(({ id, parent, detail }) => `  ${parent}/${id} ${detail}`)
    return faults.length === 0 ? [] : [[...faults, query, ...lines].join('\n')]
  })
}

/** The plans of statements, which are not executed. Plans don't depend on the stored rows, because ANALYZE is never run. */
export async function plansInDatabase(queries: string[]): Promise<PlanLine[][]> {
  if (queries.length === 0) return []
  const statements = queries.map((query) =>
    env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`).bind(...nothing(query)),
  )
  const plans = await env.DB.batch<PlanLine>(statements)
  return plans.map(({ results }) => results)
}

/** Calls no object without statements, because objects are invalid after a test has loaded the Worker again. */
async function plansInInbox(queries: string[]): Promise<PlanLine[][]> {
  if (queries.length === 0) return []
  return inScratch((storage) => {
    createTables(storage, [...steps, ...stepsOfSaves])
    return queries.map((query) => planInInbox(storage.sql, query))
  })
}

function planInInbox(sql: SqlStorage, query: string): PlanLine[] {
  return sql
    .exec<{ id: number; parent: number; detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...nothing(query))
    .toArray()
}

/** A value for each parameter. */
const nothing = (query: string): null[] => Array(parametersOf(query)).fill(null)

/** The facts that the plans of the database are checked against, from its schema. */
export async function knownOfDatabase(): Promise<Known> {
  const schema = `SELECT name, sql FROM sqlite_schema WHERE type = 'table'`
  const { results } = await env.DB.prepare(schema).all<{ name: string; sql: string }>()
  const enumerated = results.flatMap(({ sql }) => [...sql.matchAll(/\bCHECK \((\w+) IN \(/g)])
  return {
    tables: results.map(({ name }) => name),
    coarse: new Set(['purging', 'is_listed', ...enumerated.map(([, column = '']) => column)]),
    notes: [...notes, ...notesOfSeveral],
  }
}

/** Works in the storage of an inbox that belongs to nobody. */
function inScratch<Answer>(work: (storage: DurableObjectStorage) => Answer): Promise<Answer> {
  const scratch = env.INBOX.get(env.INBOX.idFromName('plans of statements'))
  return runInDurableObject(scratch, (_, { storage }) => work(storage))
}
