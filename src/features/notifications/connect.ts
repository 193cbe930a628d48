import type { InboxContext } from '../../platform/context.ts'
import { ApiError, rateLimited } from '../../platform/errors.ts'
import { readInbox } from './read-inbox.ts'

const PROTOCOL = 'notifications.v1'

/** A request for a socket. */
interface Connection {
  method: string
  upgrade: string | undefined
  /** The subprotocols that the client offers, separated by commas. */
  offered: string | undefined
  /** The seq after which events are replayed. */
  after: number | undefined
  /** When the caller's token expires, in Unix seconds. */
  expires_at: number
}

/**
 * Opens a socket to the caller's inbox (docs/conformance.md#notifications). The inbox gets the token's expiry, not the
 * token.
 *
 * @throws UPGRADE_REQUIRED, VALIDATION_FAILED for subprotocols without notifications.v1, RATE_LIMITED after the user's
 * sockets have received too much
 */
export async function connect(
  ctx: InboxContext,
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
  const { response } = await readInbox(ctx, async (inbox, { version, latest, opens }) => {
    const told = {
      'X-Announced-Version': String(version),
      'X-Announced-Latest': String(latest),
      ...(opens && { 'X-Opens': '1' }),
    }
    const response = await inbox.fetch('https://inbox/', { headers: { ...headers, ...told } })
    return { response, ...(response.status === 409 && { is_behind: true }) }
  })
  if (response.status === 429)
    throw rateLimited(
      'Your sockets received more than 1 MiB in a minute. Send only ping.',
      Number(response.headers.get('Retry-After')),
    )
  return response
}
