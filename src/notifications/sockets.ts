import type { z } from '@hono/zod-openapi'
import type { InboxEvent, Ready } from './event.ts'

/** What goes over a socket. */
type Message = InboxEvent | z.output<typeof Ready>

/** As many sockets as a user may have; one more closes the oldest. */
const MOST_SOCKETS = 32

const EXPIRED = 4401
const REPLACED = 4429
const ERASED = 4410

/** What survives hibernation with a socket. */
interface Attachment {
  /** When its token expires, in Unix seconds. Nothing is delivered from then on. */
  expires_at: number
  /** When it came, in milliseconds, and how many others came in the same. */
  since: [number, number]
}

/**
 * Takes a new socket, and sends it its first messages before anything else can be sent. All at once: nothing is
 * awaited, so no event comes in between. Returns the client's end.
 */
export function acceptSocket(ctx: DurableObjectState, expires_at: number, first: Message[]): WebSocket {
  const { 0: client, 1: server } = new WebSocketPair()
  const others = open(ctx).sort(([, one], [, other]) => bySince(one, other))
  for (const [socket] of others.slice(0, Math.max(0, others.length - MOST_SOCKETS + 1)))
    socket.close(REPLACED, `A user may have ${MOST_SOCKETS} sockets; a newer one took this one's place.`)
  const latest = others.at(-1)?.[1].since ?? [0, 0]
  const now = Date.now()
  ctx.acceptWebSocket(server)
  const since: [number, number] = now > latest[0] ? [now, 0] : [latest[0], latest[1] + 1]
  server.serializeAttachment({ expires_at, since } satisfies Attachment)
  for (const message of first) server.send(written(message))
  return client
}

/** A message as it is sent: the same whether it is live or replayed. */
function written({ type, seq, unread, data }: Message): string {
  return JSON.stringify({ type, seq, unread, data })
}

/** Sends events to every socket whose token is still good. */
export function deliver(ctx: DurableObjectState, events: Message[]): void {
  if (events.length === 0) return
  const now = Math.floor(Date.now() / 1_000)
  const messages = events.map(written)
  for (const [socket, attachment] of open(ctx))
    if (!closedAsExpired(socket, attachment, now)) for (const message of messages) socket.send(message)
}

/** Closes the sockets whose token has expired by `now` (Unix seconds). */
export function closeExpired(ctx: DurableObjectState, now: number): void {
  for (const [socket, attachment] of open(ctx)) closedAsExpired(socket, attachment, now)
}

/** Closes a socket if its token has expired, and tells whether it did. */
function closedAsExpired(socket: WebSocket, { expires_at }: Attachment, now: number): boolean {
  const isExpired = expires_at <= now
  if (isExpired) socket.close(EXPIRED, 'The token has expired. Connect again with a new one.')
  return isExpired
}

/** Closes every socket: the user has been erased. */
export function closeAll(ctx: DurableObjectState): void {
  for (const [socket] of open(ctx)) socket.close(ERASED, 'The user has been erased.')
}

/** When the next token expires, in Unix seconds; undefined when there is no socket. */
export function nextExpiry(ctx: DurableObjectState): number | undefined {
  const times = open(ctx).map(([, { expires_at }]) => expires_at)
  return times.length > 0 ? Math.min(...times) : undefined
}

/** Older ones first. */
function bySince({ since: one }: Attachment, { since: other }: Attachment): number {
  return one[0] - other[0] || one[1] - other[1]
}

/** The sockets that are open. */
function open(ctx: DurableObjectState): [WebSocket, Attachment][] {
  return ctx
    .getWebSockets()
    .filter(({ readyState }) => readyState === WebSocket.OPEN)
    .map((socket): [WebSocket, Attachment] => [socket, socket.deserializeAttachment()])
}
