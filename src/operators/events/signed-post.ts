import { Webhook } from 'standardwebhooks'

/** How long a receiver may take to respond. */
export const POST_TIMEOUT_MS = 15_000

/** A message to a receiver. `id` is the same in every attempt; `timestamp` is the time of the attempt, in Unix seconds. */
interface Outgoing {
  id: string
  timestamp: number
  body: string
}

/** Why a receiver did not accept a message. */
export interface Refusal {
  reason: string
  /** The seconds after which the receiver wants the next attempt (`Retry-After`). */
  retry_after?: number
}

/** Sends a request, as `fetch` does. */
type Send = (url: string, request: RequestInit) => Promise<Response>

/**
 * POSTs JSON as a webhook (Standard Webhooks 1.0), signed with each of the secrets, and follows no redirect. Returns why the
 * receiver did not accept the message; undefined after a status of 200 to 299. Never throws.
 */
export async function signedPost(
  url: string,
  secrets: readonly string[],
  { id, timestamp, body }: Outgoing,
  timeout_ms = POST_TIMEOUT_MS,
  send: Send = (address, request) => fetch(address, request),
): Promise<Refusal | undefined> {
  const signal = AbortSignal.timeout(timeout_ms)
  try {
    const response = await send(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'edge-game-storage',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signaturesOf(secrets, { id, timestamp, body }),
      },
      body,
      redirect: 'manual',
      signal,
    })
    // An unread body would keep the connection open.
    await response.body?.cancel()
    return response.ok ? undefined : refusalIn(response, timestamp)
  } catch (error) {
    if (signal.aborted) return { reason: `no answer within ${timeout_ms / 1_000} s` }
    // The error may contain the URL, which may contain a secret of the receiver.
    const text = String(error).replaceAll(url, 'the address').slice(0, 200)
    return { reason: `could not be reached: ${text}` }
  }
}

function signaturesOf(secrets: readonly string[], { id, timestamp, body }: Outgoing): string {
  const sentAt = new Date(timestamp * 1_000)
  return secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' ')
}

function refusalIn({ status, headers }: Response, now: number): Refusal {
  const isRedirect = status >= 300 && status < 400
  const reason = `answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`
  const retry_after = secondsIn(headers.get('Retry-After'), now)
  return retry_after === undefined ? { reason } : { reason, retry_after }
}

/** Parses `Retry-After`, a number of seconds or a date (RFC 9110, 10.2.3). Returns seconds from `now` (Unix seconds). */
function secondsIn(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter)
  const date_ms = Date.parse(retryAfter)
  return Number.isNaN(date_ms) ? undefined : Math.max(0, Math.ceil(date_ms / 1_000) - now)
}
