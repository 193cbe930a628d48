import { InboxError, type InboxErrorCode, ServiceError } from '../errors.ts'
import type { SocketEnd } from './socket.ts'

const TOKEN_EXPIRED = 4401
const USER_ERASED = 4410
const REPLACED = 4429

/** What an inbox does after a connection has ended. */
export type Step =
  /** It connects with a new token. */
  | { next: 'renew' }
  /** It connects after a while. */
  | { next: 'retry'; error: unknown; retry_after?: number | undefined }
  /** It connects when the application or the user asks for it. */
  | { next: 'pause'; error: InboxError }
  /** It ends. */
  | { next: 'stop'; reason: 'refused' | 'erased'; error: unknown }

/** The step after a socket has ended (docs/notifications.md#the-socket). `ask`: send a request to learn the reason. */
export function stepAfterSocket(end: SocketEnd): Step | 'ask' {
  if (end.why === 'unreadable')
    return retry('UNREADABLE', 'The service sent a message that this client does not understand.')
  if (end.why === 'closed') {
    if (end.code === TOKEN_EXPIRED) return { next: 'renew' }
    if (end.code === USER_ERASED)
      return {
        next: 'stop',
        reason: 'erased',
        error: new InboxError('USER_ERASED', 'The user has been erased.'),
      }
    if (end.code === REPLACED)
      return {
        next: 'pause',
        error: new InboxError('REPLACED', 'Newer connections of this user have taken the place of this one.'),
      }
  }
  if (!end.wasReady) return 'ask'
  return retry('CONNECTION_LOST', 'The connection was lost.')
}

/** The step after a socket could not be opened although the service answered a request. */
export const stepAfterRefusedSocket = (): Step =>
  retry('SOCKET_NOT_OPENED', 'The service answers, but a WebSocket could not be opened.')

/** Statuses below 500 after which the same request may succeed later. */
const TEMPORARY = [408, 425, 429]

/** The step after a request of the inbox, or the token source, has failed. */
export function stepAfterError(error: unknown): Step {
  if (error instanceof InboxError) return { next: 'stop', reason: 'refused', error }
  if (!(error instanceof ServiceError)) return { next: 'retry', error }
  const { status, retry_after } = error
  if (status < 500 && !TEMPORARY.includes(status)) return { next: 'stop', reason: 'refused', error }
  return { next: 'retry', error, retry_after }
}

function retry(code: InboxErrorCode, message: string): Step {
  return { next: 'retry', error: new InboxError(code, message) }
}
