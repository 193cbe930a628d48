import type { D1Database, SqlStorage, SqlStorageCursor } from '@cloudflare/workers-types'
import type { RecordedStatement } from './plan.ts'
import { recordedDatabase } from './recorder.ts'
import { type InboxState, Inbox as ServiceInbox, default as service } from './service.js'

export { Janitor, NotificationPublisher, Saves } from './service.js'

/** The costs of a counted request, and its answer. */
export interface Counted {
  status: number
  body: string
  /** Round trips to databases. */
  trips: number
  /** In databases and inboxes together. */
  rows_read: number
  rows_written: number
}

/** The notifications to fill an inbox with. */
export interface Seeding {
  user: string
  count: number
  state: 'read' | 'unread'
}

/** One more than the number of events that an inbox keeps. */
const EVENTS = 1_001

/** The counts of the current request. Module state reaches the objects too, because they share the Worker's isolate. */
let trips: RecordedStatement[][] = []
let cursors: Pick<SqlStorageCursor<never>, 'rowsRead' | 'rowsWritten'>[] | undefined
let isPatched = false

/** The service's inbox, with counted statements and a method that fills it. */
export class Inbox extends ServiceInbox {
  readonly #state: InboxState

  constructor(state: InboxState, env: object) {
    super(state, env)
    this.#state = state
    countStatements(state.storage.sql)
  }

  /** Replaces the notifications by numbered copies of a published one. */
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
    // Fills the events up to their limit, so that each further one removes the oldest.
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

/** Records the cursor of every statement of a counted request. All objects' `sql` share the prototype that is patched. */
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

/** The bindings with counting databases. Made once, because the isolate caches the map of partitions by database object. */
function countingBindings(env: Bindings): object {
  const counted = Object.entries(env).flatMap(([name, database]) =>
    /^DB(_\d+)?$/.test(name) ? [[name, recordedDatabase(database, (trip) => trips.push(trip))]] : [],
  )
  return { ...env, ...Object.fromEntries(counted) }
}

/** The service. Counts the rows of requests with `X-Count`, and fills inboxes at /seed-inbox. */
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
