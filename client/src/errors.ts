import type { components } from './schema.d.ts'

type Problem = components['schemas']['Problem'] &
  Partial<Pick<components['schemas']['SaveConflict'], 'current' | 'kept_revision'>>

/** The codes of the service's errors. docs/errors.md says what a client does about each. */
export type ErrorCode = Problem['code']

/**
 * The service rejected a request, or failed to serve it. Decide by `code`; show `message` to people.
 *
 * @example
 * if (error instanceof ServiceError && error.code === 'PRECONDITION_FAILED') reload()
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly status: number
  readonly title: string
  /** Explains this occurrence of the error. */
  readonly detail: string
  /** The id of the request in the service's log. */
  readonly request_id: string
  /** With VALIDATION_FAILED: each invalid field, with its reason. Otherwise empty. */
  readonly errors: NonNullable<Problem['errors']>
  /** With LIMIT_REACHED: the name of the limit. */
  readonly limit: Problem['limit']
  /** With PRECONDITION_FAILED for a save: the save that is there; undefined when the slot is missing. */
  readonly current: Problem['current']
  /** With PRECONDITION_FAILED for a save that was written with `keep`: the revision that keeps its bytes. */
  readonly kept_revision: Problem['kept_revision']
  /** How many seconds to wait before a repetition (the header `Retry-After`); undefined when the service does not say. */
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
    this.current = problem.current
    this.kept_revision = problem.kept_revision
    this.retry_after = retry_after
  }
}

/**
 * No answer of the service arrived: the network failed, the answer took longer than `timeoutMs`, or a proxy or a redirect
 * answered. The request may have taken effect. `message` names the address; `cause` is the error of `fetch`, if there was one.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/**
 * The content of an upload is not what it was when the upload began: a file has changed on the disk or can't be read any more,
 * or an upload of one PUT is resumed with other content. The upload stays open: `upload_id` resumes it with the bytes that it was
 * begun with. `cause` is the error of the read, if there was one.
 */
export class ContentChangedError extends Error {
  override readonly name = 'ContentChangedError'

  constructor(cause?: unknown) {
    super(
      'The content has changed since its upload began, or can’t be read any more: upload it again from the start.',
      cause === undefined ? undefined : { cause },
    )
  }
}

/**
 * An answer has lost its ETag: something between this client and the service, like a proxy, strips it. Without it no change of
 * others can be told, so the client goes no further. The request has taken effect.
 */
export class EtagStrippedError extends Error {
  override readonly name = 'EtagStrippedError'

  constructor() {
    super(
      'The answer has no ETag: something between this client and the service strips it, like a proxy. The request has taken effect.',
    )
  }
}

/** The message of a NetworkError: the address that did not answer, and what to check. */
export function unreachable(address: string): string {
  return `No answer from ${address}. Is the service there, is this device online, and may this page ask it (CORS_ORIGINS)?`
}

/** As `unreachable`, for a signed URL. Names only its host: path and query give access to the content. */
export function unreachableStorage(url: string): string {
  const address = /^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? 'storage'
  return `No answer from ${address}. Is this device online, and may this page ask it (the bucket's CORS)?`
}

/** Makes an error from a response whose status is not 2xx. */
export function errorOf(response: Response, text: string): ServiceError | NetworkError {
  if (isRedirect(response)) return new NetworkError(redirected(response))
  const problem = parsed(text)
  if (!isProblem(problem))
    return new NetworkError(`The answer ${response.status} is not one of the service's.`)
  const retry_after = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ServiceError(problem, Number.isNaN(retry_after) ? undefined : retry_after)
}

/** The `type` of a redirect in browsers, which hide its status and `Location`. The types of Workers lack the value. */
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
