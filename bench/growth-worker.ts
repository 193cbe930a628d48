import type { D1Database, SqlStorage, SqlStorageCursor } from '@cloudflare/workers-types'
import type { RecordedStatement } from './plan.ts'
import { recordedDatabase } from './recorder.ts'
import { type InboxState, Inbox as ServiceInbox, default as service } from './service.js'

export { Janitor, NotificationPublisher } from './service.js'

/** What a counted request costs, and its answer. */
export interface Counted {
  status: number
  body: string
  /** Round trips to databases. */
  trips: number
  /** Of databases and of inboxes. */
  rows_read: number
  rows_written: number
}

/** The notifications that an inbox is to have. */
export interface Seeding {
  user: string
  count: number
  state: 'read' | 'unread'
}

/** How many events an inbox keeps, and one. */
const EVENTS = 1_001

/** What is counted now: Worker and objects share an isolate. */
let trips: RecordedStatement[][] = []
let cursors: Pick<SqlStorageCursor<never>, 'rowsRead' | 'rowsWritten'>[] | undefined
let isPatched = false

/** The inbox, whose statements are counted, and which can be filled. */
export class Inbox extends ServiceInbox {
  readonly #state: InboxState

  constructor(state: InboxState, env: object) {
    super(state, env)
    this.#state = state
    countStatements(state.storage.sql)
  }

  /** Gives the inbox other notifications than it has, ids as `numberedId` makes them. Its first one was published. */
  async seed({ count, state }: Seeding): Promise<void> {
    const { sql } = this.#state.storage
    const [like] = sql
      .exec<{ id: string; data: string }>('SELECT id, data FROM notifications LIMIT 1')
      .toArray()
    if (!like) throw new Error('publish a notification first')
    sql.exec('DELETE FROM notifications')
    sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO notifications (seq, id, type, data, state, created_at, unread)
      SELECT i, printf('%s%010x', ?2, i), 'friend_request', ?3, ?4, unixepoch(), 0 FROM n`,
      count,
      like.id.slice(0, -10),
      like.data,
      state,
    )
    // As many events as are kept: each further one removes the oldest.
    sql.exec('DELETE FROM events')
    sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT ?1 + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 + ?2)
      INSERT INTO events (seq, type, unread, data, created_at)
      SELECT i, 'notification_deleted', 0, '{"notification_id":"x"}', unixepoch() FROM n`,
      count,
      EVENTS,
    )
    const unread = state === 'unread' ? count : 0
    sql.exec(
      'UPDATE counters SET seq = ?1 + ?3, total = ?1, unread = ?2, read_through = ?1 - ?2',
      count,
      unread,
      EVENTS,
    )
    await this.#state.storage.sync()
    this.#state.abort('An instance keeps its counters in memory: the next one reads the new ones.')
  }
}

/** Keeps the cursor of every statement that an object executes while a request is counted: they have one prototype. */
function countStatements(sql: SqlStorage): void {
  if (isPatched) return
  isPatched = true
  const prototype: SqlStorage = Object.getPrototypeOf(sql)
  prototype.exec = new Proxy(prototype.exec, {
    apply(target, self, values) {
      const cursor = Reflect.apply(target, self, values)
      cursors?.push(cursor)
      return cursor
    },
  })
}

interface Bindings {
  DB: D1Database
  DB_1?: D1Database
  DB_2?: D1Database
  INBOX: { getByName(name: string): { seed(seeding: Seeding): Promise<void> } }
}

let counting: object | undefined

/** The bindings with databases that count. They stay the same: an isolate remembers by its database where partitions are. */
function countingBindings(env: Bindings): object {
  const counted = Object.entries(env).flatMap(([name, database]) =>
    /^DB(_\d+)?$/.test(name) ? [[name, recordedDatabase(database, (trip) => trips.push(trip))]] : [],
  )
  return { ...env, ...Object.fromEntries(counted) }
}

/** The service, which counts the rows of a request with `X-Count`, and fills inboxes. */
export default {
  async fetch(request: Request, env: Bindings, context: object): Promise<Response> {
    if (new URL(request.url).pathname === '/seed-inbox') {
      const seeding: Seeding = JSON.parse(await request.text())
      await env.INBOX.getByName(seeding.user)
        .seed(seeding)
        .catch((error: unknown) => {
          if (!String(error).includes('keeps its counters')) throw error
        })
      return new Response()
    }
    if (!request.headers.has('X-Count')) return service.fetch(request, env, context)
    counting ??= countingBindings(env)
    trips = []
    cursors = []
    const response = await service.fetch(request, counting, context)
    const body = await response.text()
    const rows = [
      ...trips.flat(),
      ...cursors.map(({ rowsRead, rowsWritten }) => ({ rows_read: rowsRead, rows_written: rowsWritten })),
    ]
    cursors = undefined
    const counted: Counted = {
      status: response.status,
      body,
      trips: trips.length,
      rows_read: rows.reduce((sum, { rows_read }) => sum + rows_read, 0),
      rows_written: rows.reduce((sum, { rows_written }) => sum + rows_written, 0),
    }
    return Response.json(counted)
  },
}
