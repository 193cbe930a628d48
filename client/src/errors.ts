import type { components } from './schema.d.ts'

type Problem = components['schemas']['Problem']

/** Each code that the service answers. docs/errors.md says what a client does about each. */
export type ErrorCode = Problem['code']

/** The service refused a request, or could not serve it. Decide by `code`; show `message` to people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly status: number
  readonly title: string
  /** What is known about this case. */
  readonly detail: string
  /** Names the request in the service's log. */
  readonly request_id: string
  /** With VALIDATION_FAILED: what is wrong, by member. Otherwise empty. */
  readonly errors: NonNullable<Problem['errors']>
  /** With LIMIT_REACHED: the name of the limit. */
  readonly limit: Problem['limit']
  /** In how many seconds the request may be repeated, where the service says so. */
  readonly retry_after: number | undefined

  constructor(problem: Problem, retry_after?: number) {
    super(problem.detail)
    this.code = problem.code
    this.status = problem.status
    this.title = problem.title
    this.detail = problem.detail
    this.request_id = problem.request_id
    this.errors = problem.errors ?? []
    this.limit = problem.limit
    this.retry_after = retry_after
  }
}

/**
 * No answer of the service arrived: the network failed, the answer took too long, or something else answered, like a
 * proxy or a redirect. The request may have taken effect. `message` names the address; `cause` is the error of `fetch`, if
 * there was one.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/** Says that no answer came from an address, and what to look at. */
export function unreachable(address: string): string {
  return `No answer from ${address}. Is the service there, is this device online, and may this page ask it (CORS_ORIGINS)?`
}

/** As `unreachable`, for the signed URL of content, which is a secret behind its host. */
export function unreachableStorage(url: string): string {
  const address = /^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? 'storage'
  return `No answer from ${address}. Is this device online, and may this page ask it (the bucket's CORS)?`
}

/** The error that an answer stands for. */
export function errorOf(response: Response, text: string): ServiceError | NetworkError {
  if (isRedirect(response)) return new NetworkError(redirected(response))
  const problem = parsed(text)
  if (!isProblem(problem))
    return new NetworkError(`The answer ${response.status} is not one of the service's.`)
  const retry_after = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ServiceError(problem, Number.isNaN(retry_after) ? undefined : retry_after)
}

/** How browsers show a redirect, without its status and where it leads. The types of Workers do not know it. */
const OPAQUE_REDIRECT: string = 'opaqueredirect'

function isRedirect({ type, status, headers }: Response): boolean {
  return type === OPAQUE_REDIRECT || (status >= 300 && status < 400 && headers.has('Location'))
}

function redirected({ headers }: Response): string {
  const location = headers.get('Location')
  const to = location === null ? '' : ` to ${location.slice(0, 200)}`
  return `The answer is a redirect${to}, which the token does not follow. Give createClient the baseUrl at which the service itself answers.`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'status' in value &&
    'request_id' in value
  )
}
