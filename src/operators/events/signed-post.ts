import { Webhook } from 'standardwebhooks'

/** How long a receiver may take to answer, in milliseconds. */
export const POST_TIMEOUT_MS = 15_000

/** A message to a receiver. Its `id` is the same in every attempt; `timestamp` is that of the attempt, in Unix seconds. */
interface Outgoing {
  id: string
  timestamp: number
  body: string
}

/** Why a receiver did not take a message. */
export interface Refusal {
  reason: string
  /** In how many seconds the receiver wants to be asked again. */
  retry_after?: number
}

/** How a request is sent. */
type Send = (url: string, request: RequestInit) => Promise<Response>

/**
 * POSTs JSON as a webhook (Standard Webhooks 1.0), signed with each of the secrets. It follows no redirect. Returns why the
 * receiver did not take it; undefined when it answered with a status of 200 to 299. Never throws.
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
    // Nothing reads it: otherwise it would hold the connection.
    await response.body?.cancel()
    return response.ok ? undefined : refusalIn(response, timestamp)
  } catch (error) {
    if (signal.aborted) return { reason: `no answer within ${timeout_ms / 1_000} s` }
    // The text may name the address, which may hold a secret of the receiver.
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

/** The seconds that `Retry-After` asks for: a number of them, or a date (RFC 9110, 10.2.3). */
function secondsIn(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter)
  const date_ms = Date.parse(retryAfter)
  return Number.isNaN(date_ms) ? undefined : Math.max(0, Math.ceil(date_ms / 1_000) - now)
}
