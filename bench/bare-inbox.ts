import { DurableObject } from 'cloudflare:workers'
import type {
  DurableObjectState,
  Request,
  WebSocket,
  Response as WorkersResponse,
} from '@cloudflare/workers-types'

declare const Response: typeof WorkersResponse
declare const WebSocketPair: new () => { 0: WebSocket; 1: WebSocket }

export interface Publication {
  user_id: string
  type: string
  data: object
}

type NotificationRow = {
  seq: number
  id: string
  type: string
  data: string
  state: string
  created_at: number
}

const PAGE = 50

/**
 * The floor of the inbox: the least that a Durable Object has to do for the same answers. Stores one row for each notification
 * and pushes it to the sockets. Counts in memory; has no keys, limits, expiry, deletion or migrations.
 */
export class Inbox extends DurableObject {
  readonly #state: DurableObjectState
  #seq = 0
  #unread = 0
  /** The seq up to which all notifications are read. */
  #read = 0

  constructor(state: DurableObjectState, env: object) {
    super(state, env)
    this.#state = state
    state.storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS notifications (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL,
        data TEXT NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL)`,
    )
    const known = state.storage.sql.exec<{ seq: number; unread: number; read: number }>(
      `SELECT coalesce(max(seq), 0) AS seq, count(*) FILTER (WHERE state = 'unread') AS unread,
        coalesce(min(seq) FILTER (WHERE state = 'unread'), 1) - 1 AS read FROM notifications`,
    )
    const { seq, unread, read } = known.one()
    this.#seq = seq
    this.#unread = unread
    this.#read = read
  }

  publish({ type, data }: Publication): object {
    const notification = {
      id: crypto.randomUUID(),
      type,
      data,
      state: 'unread',
      created_at: Math.floor(Date.now() / 1_000),
    }
    const { id, state, created_at } = notification
    this.#state.storage.sql.exec(
      'INSERT INTO notifications (seq, id, type, data, state, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      ++this.#seq,
      id,
      type,
      JSON.stringify(data),
      state,
      created_at,
    )
    this.#unread++
    this.#push({ type: 'notification', seq: this.#seq, unread: this.#unread, data: notification })
    return notification
  }

  page(): object {
    const rows = this.#state.storage.sql.exec<NotificationRow>(
      `SELECT id, type, data, state, created_at FROM notifications ORDER BY seq DESC LIMIT ${PAGE}`,
    )
    const notifications = rows.toArray().map((row) => ({ ...row, data: JSON.parse(row.data) }))
    return { notifications, total: this.#seq, unread: this.#unread }
  }

  count(): object {
    return { count: this.#unread }
  }

  readAll(): object {
    this.#state.storage.sql.exec(`UPDATE notifications SET state = 'read' WHERE seq > ?`, this.#read)
    const marked_count = this.#unread
    this.#read = this.#seq
    this.#unread = 0
    this.#push({ type: 'notifications_read', seq: this.#seq, unread: 0, data: { notification_ids: null } })
    return { marked_count }
  }

  /** Accepts a socket. With `after`, first sends the notifications after that seq. */
  override async fetch(request: Request): Promise<WorkersResponse> {
    const { 0: client, 1: server } = new WebSocketPair()
    this.#state.acceptWebSocket(server)
    const after = new URL(request.url).searchParams.get('after')
    const seq = after === null ? this.#seq : Number(after)
    server.send(
      JSON.stringify({ type: 'ready', seq, unread: this.#unread, data: { recovered: after !== null } }),
    )
    if (after !== null)
      for (const row of this.#state.storage.sql.exec<NotificationRow>(
        'SELECT seq, id, type, data, created_at FROM notifications WHERE seq > ? ORDER BY seq',
        Number(after),
      )) {
        const { seq, id, type, data, created_at } = row
        const missed = { id, type, data: JSON.parse(data), state: 'unread', created_at }
        server.send(JSON.stringify({ type: 'notification', seq, unread: seq, data: missed }))
      }
    const headers = { 'Sec-WebSocket-Protocol': 'notifications.v1' }
    return new Response(null, { status: 101, webSocket: client, headers })
  }

  #push(event: object): void {
    const sockets = this.#state.getWebSockets()
    if (sockets.length === 0) return
    const message = JSON.stringify(event)
    for (const socket of sockets) socket.send(message)
  }
}
