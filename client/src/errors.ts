import type { Problem, SaveConflictProblem } from './records.ts'

/** An answer of the service that is an error; for a save, with what is there. */
type AnyProblem = Problem & Partial<Pick<SaveConflictProblem, 'current' | 'kept_revision'>>

/** The codes of the service's errors. docs/errors.md says what a client does about each. */
export type ErrorCode = Problem['code']

/** The codes of errors that are not the service's. */
export type ClientErrorCode =
  /** No answer of the service arrived. */
  | 'NETWORK'
  /** Storage refused content. */
  | 'STORAGE'
  /** The content of an upload is not what it was. */
  | 'CONTENT_CHANGED'
  /** Content that was downloaded or kept has other bytes than its version. */
  | 'CONTENT_DAMAGED'
  /** An answer has lost its ETag. */
  | 'ETAG_STRIPPED'
  | InboxErrorCode

export type InboxErrorCode =
  /** The connection ended, or the service stopped answering on it. */
  | 'CONNECTION_LOST'
  /** No socket could be opened, although the service answers requests: a proxy may block WebSockets. */
  | 'SOCKET_NOT_OPENED'
  /** The service sent a message that this version of the client can't parse. */
  | 'UNREADABLE'
  /** The user has opened more sockets than the service allows, and this was the oldest. */
  | 'REPLACED'
  /** The user has been erased. */
  | 'USER_ERASED'
  /** The token is not a JWT. */
  | 'INVALID_TOKEN'
  /** The application has closed the inbox. */
  | 'CLOSED'

interface Facts {
  code: ErrorCode | ClientErrorCode
  status?: number | undefined
  request_id?: string | undefined
  cause?: unknown
}

/**
 * What every error of this client is, except a mistake in a call (a `TypeError` or a `RangeError`). Decide by `code`; show `message`
 * to people; log `request_id`.
 *
 * @example
 * if (error instanceof GameStorageError) log(error.code, error.advice, error.request_id)
 */
export class GameStorageError extends Error {
  override readonly name: string = 'GameStorageError'
  readonly code: ErrorCode | ClientErrorCode
  /** The HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined
  /** The id of the request in the service's log; undefined when the service has not answered. */
  readonly request_id: string | undefined

  constructor(message: string, { code, status, request_id, cause }: Facts) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.request_id = request_id
  }

  /** What an application does about it, in a sentence. docs/errors.md has more of each code. */
  get advice(): string {
    return `${advices[this.code] ?? adviceFor(this.status)}.`
  }
}

const repeat = 'Try again later: the network or the service was away'

/** What to do about single codes. The others go by their status. */
const advices: Partial<Record<ErrorCode | ClientErrorCode, string>> = {
  NETWORK: repeat,
  CONNECTION_LOST: repeat,
  CONTENT_CHANGED: 'Upload it again from the start',
  CONTENT_DAMAGED: 'Update it again: what was damaged is deleted',
  ETAG_STRIPPED: 'Let the proxy in between keep the header ETag',
  SOCKET_NOT_OPENED: 'Let the proxy in between pass WebSockets',
  UNREADABLE: 'Update the client',
  REPLACED: 'Close connections that nobody looks at',
  QUOTA_EXCEEDED: 'Show how much is used, allowed and needed, and offer to empty the trash',
  PRECONDITION_FAILED: 'Somebody else has changed it: read it again, and let the user decide',
  IDEMPOTENCY_KEY_REUSED: 'Use a new key for each creation',
}

function adviceFor(status = 0): string {
  if (status === 401) return 'Sign in again'
  if (status === 403) return 'Ask for the permission, or leave it'
  if (status === 404) return 'It is gone, or was never there for this user: read the list again'
  if (status === 429 || status === 503) return repeat
  if (status >= 500) return 'Do not repeat it, and report the request_id'
  return 'Change what was sent: the message says what is wrong with it'
}

/**
 * The service rejected a request, or failed to serve it.
 *
 * @example
 * if (error instanceof ServiceError && error.code === 'PRECONDITION_FAILED') reload()
 */
export class ServiceError extends GameStorageError {
  override readonly name = 'ServiceError'
  declare readonly code: ErrorCode
  declare readonly status: number
  declare readonly request_id: string
  /** The code in words. */
  readonly title: string
  /** Explains this occurrence of the error. */
  readonly detail: string
  /** With VALIDATION_FAILED: each invalid field, with its reason. Otherwise empty. */
  readonly errors: NonNullable<Problem['errors']>
  /** With LIMIT_REACHED: the name of the limit. */
  readonly limit: Problem['limit']
  /** With QUOTA_EXCEEDED: what is in use (of saves, what can't make room), what may be in use, and what would have been added to it. */
  readonly used_bytes: number | undefined
  readonly limit_bytes: number | undefined
  readonly needed_bytes: number | undefined
  /** How many seconds to wait before a repetition (the header `Retry-After`); undefined when the service does not say. */
  readonly retry_after: number | undefined
  /** The answer, as the service has sent it. */
  readonly problem: AnyProblem

  constructor(problem: AnyProblem, retry_after?: number) {
    super(problem.detail, problem)
    this.title = problem.title
    this.detail = problem.detail
    this.errors = problem.errors ?? []
    this.limit = problem.limit
    this.used_bytes = problem.used_bytes
    this.limit_bytes = problem.limit_bytes
    this.needed_bytes = problem.needed_bytes
    this.problem = problem
    this.retry_after = retry_after
  }
}

/**
 * No answer of the service arrived: the network failed, the answer took longer than `timeoutMs`, or a proxy or a redirect
 * answered. The request may have taken effect. `message` names the address; `cause` is the error of `fetch`, if there was one.
 */
export class NetworkError extends GameStorageError {
  override readonly name = 'NetworkError'
  declare readonly code: 'NETWORK'

  constructor(message: string, { cause }: { cause?: unknown } = {}) {
    super(message, { code: 'NETWORK', cause })
  }
}

/** Storage (R2) rejected a request to a signed URL, also when it was repeated. `status` is the HTTP status. */
export class StorageError extends GameStorageError {
  override readonly name = 'StorageError'
  declare readonly code: 'STORAGE'
  declare readonly status: number

  constructor({ status, text }: { status: number; text: string }) {
    const said = /<Message>(.*?)<\/Message>/.exec(text)?.[1] ?? ''
    super(`Storage answered ${status}. ${said}`.trim(), { code: 'STORAGE', status })
  }
}

/**
 * The content of an upload is not what it was when the upload began: a file has changed on the disk or can't be read any more,
 * or an upload of one PUT is resumed with other content. The upload stays open: `uploadId` resumes it with the bytes that it was
 * begun with. `cause` is the error of the read, if there was one.
 */
export class ContentChangedError extends GameStorageError {
  override readonly name = 'ContentChangedError'
  declare readonly code: 'CONTENT_CHANGED'

  constructor(cause?: unknown) {
    super(
      'The content has changed since its upload began, or can’t be read any more: upload it again from the start.',
      { code: 'CONTENT_CHANGED', cause },
    )
  }
}

/** Content of an asset has other bytes than its version: as it arrived, twice, or as the device has kept it. It is deleted. */
export class ContentDamagedError extends GameStorageError {
  override readonly name = 'ContentDamagedError'
  declare readonly code: 'CONTENT_DAMAGED'

  constructor(asset_id: string) {
    super(`The content of the asset ${asset_id} is damaged or gone: update it again.`, {
      code: 'CONTENT_DAMAGED',
    })
  }
}

/**
 * An answer has lost its ETag: something between this client and the service, like a proxy, strips it. Without it no change of
 * others can be told, so the client goes no further. The request has taken effect.
 */
export class EtagStrippedError extends GameStorageError {
  override readonly name = 'EtagStrippedError'
  declare readonly code: 'ETAG_STRIPPED'

  constructor() {
    super(
      'The answer has no ETag: something between this client and the service strips it, like a proxy. The request has taken effect.',
      { code: 'ETAG_STRIPPED' },
    )
  }
}

/** Why an inbox is not connected, when the reason is no ServiceError. */
export class InboxError extends GameStorageError {
  override readonly name = 'InboxError'
  declare readonly code: InboxErrorCode

  constructor(code: InboxErrorCode, message: string) {
    super(message, { code })
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

function isProblem(value: unknown): value is AnyProblem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'status' in value &&
    'request_id' in value
  )
}
