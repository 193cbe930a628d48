import type { RequestContext } from '../context.ts'
import { ApiError, rateLimited } from '../errors.ts'
import { callInbox } from './call-inbox.ts'

const PROTOCOL = 'notifications.v1'

/** What a request for a socket brings. */
export interface Connection {
  method: string
  upgrade: string | undefined
  /** The subprotocols that the client offers. */
  offered: string | undefined
  /** The seq after which to go on. */
  after: number | undefined
  /** When the caller's token expires, in Unix seconds. */
  expires_at: number
}

/**
 * Opens a socket to the caller's inbox (decisions, "Notifications"). The object learns who is calling by being asked
 * at all, and until when; the token does not travel on.
 *
 * @throws UPGRADE_REQUIRED, VALIDATION_FAILED for subprotocols without notifications.v1, RATE_LIMITED after the user's
 * sockets have brought too much
 */
export async function connect(
  ctx: RequestContext,
  { method, upgrade, offered, after, expires_at }: Connection,
): Promise<Response> {
  if (method !== 'GET' || upgrade?.toLowerCase() !== 'websocket')
    throw new ApiError('UPGRADE_REQUIRED', {
      detail: 'Open a WebSocket here.',
      headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
    })
  const protocols = offered?.split(',').map((protocol) => protocol.trim())
  if (protocols && !protocols.includes(PROTOCOL))
    throw new ApiError('VALIDATION_FAILED', {
      detail: `Offer ${PROTOCOL} among the subprotocols, or none.`,
      errors: [{ in: 'header', path: '/sec-websocket-protocol', message: `${PROTOCOL} is not among them.` }],
    })
  const headers = {
    Upgrade: 'websocket',
    'X-Expires-At': String(expires_at),
    ...(after !== undefined && { 'X-After': String(after) }),
    ...(protocols && { 'X-Protocol': PROTOCOL }),
  }
  const answer = await callInbox(
    ctx,
    ctx.user_id,
    (inbox) => inbox.fetch('https://inbox/', { headers }),
    true,
  )
  if (answer.status === 429)
    throw rateLimited(
      'A socket brought more than a client may send.',
      Number(answer.headers.get('Retry-After')),
    )
  return answer
}
