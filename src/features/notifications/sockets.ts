import { KIB, MIB, MINUTE } from '../../platform/lib/units.ts'
import type { InboxEvent, Ready, Signal } from './messages.ts'

type Message = InboxEvent | Ready | Signal

/** The most sockets that a user may have. One more closes the oldest. */
const MAX_SOCKETS = 32
/** The most bytes of a message from a client. */
const MAX_MESSAGE_BYTES = KIB
/** The most bytes that a user's sockets may receive in a minute. Clients send only `ping`. */
const MAX_BYTES_A_MINUTE = MIB
/** How long new sockets are rejected after that limit was exceeded, in seconds. */
const REJECTION_SECONDS = MINUTE

const UNSUPPORTED_MESSAGE = 1008
const MESSAGE_TOO_LONG = 1009
const TOKEN_EXPIRED = 4401
const USER_ERASED = 4410
const REPLACED = 4429

/** The state of a socket, which survives hibernation. */
interface Attachment {
  /** When the token of the socket expires, in Unix seconds. Nothing is sent from then on. */
  expires_at: number
  /** When the socket was accepted, in milliseconds, and how many others were accepted in that millisecond before it. */
  since: [number, number]
}

/**
 * Accepts a socket and sends its first messages. Nothing is awaited, so no event can be sent in between. Returns the
 * client's end. `expires_at` is that of the token, in Unix seconds.
 */
export function acceptSocket(ctx: DurableObjectState, expires_at: number, first: Message[]): WebSocket {
  const { 0: client, 1: server } = new WebSocketPair()
  const others = openSockets(ctx).sort(([, one], [, other]) => compareAge(one, other))
  for (const [socket] of others.slice(0, Math.max(0, others.length - MAX_SOCKETS + 1)))
    socket.close(REPLACED, `A user may have ${MAX_SOCKETS} sockets; a newer one has replaced this one.`)
  const latest = others.at(-1)?.[1].since ?? [0, 0]
  const now = Date.now()
  ctx.acceptWebSocket(server)
  const since: [number, number] = now > latest[0] ? [now, 0] : [latest[0], latest[1] + 1]
  server.serializeAttachment({ expires_at, since } satisfies Attachment)
  for (const message of first) server.send(serialized(message))
  return client
}

/** A message as it is sent, live or replayed. */
function serialized(message: Message): string {
  const { type, data } = message
  if (type === 'signal') return JSON.stringify({ type, data })
  const { seq, unread } = message
  return JSON.stringify({ type, seq, unread, data })
}

/** Sends messages to every socket whose token has not expired, and closes the others. */
export function deliver(ctx: DurableObjectState, messages: Message[]): void {
  const sockets = closeExpired(ctx, Math.floor(Date.now() / 1_000))
  if (sockets.length === 0) return
  const texts = messages.map(serialized)
  for (const socket of sockets) for (const text of texts) socket.send(text)
}

/** Closes the sockets whose token has expired by `now` (Unix seconds). Returns the others. */
export function closeExpired(ctx: DurableObjectState, now: number): WebSocket[] {
  const others: WebSocket[] = []
  for (const [socket, { expires_at }] of openSockets(ctx))
    if (expires_at > now) others.push(socket)
    else socket.close(TOKEN_EXPIRED, 'The token has expired. Connect again with a new one.')
  return others
}

/** Whether a device is connected with a token that has not expired by `now` (Unix seconds). */
export function isConnected(ctx: DurableObjectState, now: number): boolean {
  return openSockets(ctx).some(([, { expires_at }]) => expires_at > now)
}

/** Closes every socket of an erased user. */
export function closeAll(ctx: DurableObjectState): void {
  for (const [socket] of openSockets(ctx)) socket.close(USER_ERASED, 'The user has been erased.')
}

/** When the next token of a socket expires, in Unix seconds; undefined when there is no socket. */
export function nextExpiry(ctx: DurableObjectState): number | undefined {
  const times = openSockets(ctx).map(([, { expires_at }]) => expires_at)
  return times.length > 0 ? Math.min(...times) : undefined
}

/** Closes a socket that has received a message other than `ping`, which the platform answers. */
export function rejectMessage(
  ctx: DurableObjectState,
  socket: WebSocket,
  message: string | ArrayBuffer,
): void {
  const bytes = byteLength(message)
  countReceived(ctx.storage, bytes, Math.floor(Date.now() / 1_000))
  if (bytes > MAX_MESSAGE_BYTES) socket.close(MESSAGE_TOO_LONG, 'A message may have at most 1 KiB.')
  else socket.close(UNSUPPORTED_MESSAGE, 'This socket takes no messages but ping.')
}

/** The length of a message in bytes. A text of too many characters is not encoded: their number is a lower bound. */
function byteLength(message: string | ArrayBuffer): number {
  if (typeof message !== 'string') return message.byteLength
  return message.length > MAX_MESSAGE_BYTES ? message.length : new TextEncoder().encode(message).byteLength
}

/** The bytes that a user's sockets received in a minute of Unix time. Stored, because hibernation clears the memory. */
interface Received {
  minute: number
  bytes: number
  /** Until when new sockets are rejected, in Unix seconds; 0 when they are not. */
  rejected_until: number
}

const RECEIVED = 'received'

function countReceived({ kv }: DurableObjectStorage, bytes: number, now: number): void {
  const minute = Math.floor(now / MINUTE)
  const known = kv.get<Received>(RECEIVED)
  const sum = bytes + (known?.minute === minute ? known.bytes : 0)
  const rejected_until = sum > MAX_BYTES_A_MINUTE ? now + REJECTION_SECONDS : (known?.rejected_until ?? 0)
  kv.put<Received>(RECEIVED, { minute, bytes: sum, rejected_until })
}

/** For how many more seconds new sockets are rejected, because the user's sockets received too much; 0 when they are not. */
export function rejectionSeconds({ kv }: DurableObjectStorage, now: number): number {
  return Math.max(0, (kv.get<Received>(RECEIVED)?.rejected_until ?? 0) - now)
}

/** Compares two sockets by age: the older comes first. */
function compareAge({ since: one }: Attachment, { since: other }: Attachment): number {
  return one[0] - other[0] || one[1] - other[1]
}

/** The attachments that this instance has read. They are kept, because each reading parses the attachment. */
const attachments = new WeakMap<WebSocket, Attachment>()

function openSockets(ctx: DurableObjectState): [WebSocket, Attachment][] {
  const open: [WebSocket, Attachment][] = []
  for (const socket of ctx.getWebSockets())
    if (socket.readyState === WebSocket.OPEN) open.push([socket, attachmentOf(socket)])
  return open
}

function attachmentOf(socket: WebSocket): Attachment {
  const known = attachments.get(socket)
  if (known) return known
  const attachment: Attachment = socket.deserializeAttachment()
  attachments.set(socket, attachment)
  return attachment
}
