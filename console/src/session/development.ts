import type { Rating } from '../assets/rating.ts'
import { member } from '../json.ts'
import { noteUnreached } from './reachability.ts'

/** The parameters of a token of the development server. */
export interface SignInRequest {
  user_id: string
  scopes: readonly string[]
  /** The highest rating of other users' assets that the user sees; undefined: all. */
  max_rating?: Rating | undefined
}

/** After this time a request without an answer is given up. A run of the job takes some seconds. */
const ANSWER_MS = 60_000

/** An error of the development server, with a message for people. */
class DevelopmentError extends Error {
  override readonly name = 'DevelopmentError'
}

/**
 * Gets a token for a made-up user from the development server. A deployed service has no such route (src/local/worker.ts).
 *
 * @throws DevelopmentError
 */
export async function developmentToken({ user_id, scopes, max_rating }: SignInRequest): Promise<string> {
  const answer = await post('/development/token', {
    user_id,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(max_rating && { max_rating }),
  })
  return String(member(answer, 'token'))
}

/**
 * Runs the scheduled job now, of the first database. Its history then has what it did.
 *
 * @throws DevelopmentError
 */
export async function runJob(): Promise<void> {
  await post('/development/job', {})
}

async function post(path: string, body: object): Promise<unknown> {
  const response = await answered(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const detail = member(answer, 'detail')
  throw new DevelopmentError(typeof detail === 'string' ? detail : `${path} answered ${response.status}.`)
}

/**
 * Whether this is the server of `npm run dev`, which makes tokens of made-up users and runs the job on request.
 *
 * @throws DevelopmentError when the service does not answer
 */
export async function isDevelopment(): Promise<boolean> {
  const response = await answered('/health')
  const health: unknown = await response.json().catch(() => undefined)
  return member(health, 'makes_tokens') === true
}

async function answered(path: string, request: RequestInit = {}): Promise<Response> {
  return fetch(path, { ...request, signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => {
    noteUnreached()
    throw new DevelopmentError('The service does not answer.')
  })
}
