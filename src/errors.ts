/** The one table of error codes: status and title (specification §7, decisions "Conventions"). */
export const errorCodes = {
  UNAUTHENTICATED: [401, 'A valid access token is required'],
  FORBIDDEN: [403, 'The token does not allow this'],
  VALIDATION_FAILED: [400, 'The request is not valid'],
  MALFORMED_JSON: [400, 'The body is not valid JSON'],
  INVALID_CURSOR: [400, 'The cursor does not belong to this list'],
  BODY_TOO_LARGE: [413, 'The body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be JSON'],
  NOT_FOUND: [404, 'Nothing is served here'],
  METHOD_NOT_ALLOWED: [405, 'This method is not allowed here'],
  PRECONDITION_FAILED: [412, 'The record has changed'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The Idempotency-Key belongs to another request'],
  LIMIT_REACHED: [409, 'A limit has been reached'],
  QUOTA_EXCEEDED: [403, 'The storage quota is used up'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL: [500, 'Something went wrong here'],
  UNAVAILABLE: [503, 'Temporarily unavailable'],

  FILE_NOT_FOUND: [404, 'The item does not exist'],
  FILE_PARENT_NOT_FOUND: [404, 'The parent folder does not exist'],
  FILE_PARENT_NOT_FOLDER: [409, 'The parent is not a folder'],
  FILE_INVALID_NAME: [400, 'The name is not allowed'],
  FILE_CYCLIC_MOVE: [409, 'A folder cannot move into itself'],
  FILE_IS_FOLDER: [409, 'A folder has no content'],
  FILE_NOT_READY: [409, 'The content is not ready'],
  FILE_NOT_TRASHED: [409, 'The item is not in the trash'],

  SHARE_NOT_FOUND: [404, 'The share does not exist'],
  SHARE_ACCESS_DENIED: [403, 'The share gives no access'],
  SHARE_INVALID_GRANTEE: [400, 'This user cannot be shared with'],

  ASSET_NAME_REQUIRED: [400, 'A name is required'],
  ASSET_NAME_TOO_LONG: [400, 'The name is too long'],
  INVALID_ASSET_TYPE: [400, 'The type is not one of game assets'],
  INVALID_VISIBILITY: [400, 'The visibility is neither public nor private'],
  DUPLICATE_ASSET_NAME: [409, 'The name is taken'],
  ASSET_NOT_FOUND: [404, 'The asset does not exist'],
  VERSION_NOT_FOUND: [404, 'The version does not exist'],
  NO_VERSIONS_TO_BRANCH: [409, 'The asset has no version to branch'],

  NOTIFICATION_NOT_FOUND: [404, 'The notification does not exist'],
  UPGRADE_REQUIRED: [426, 'This is a WebSocket'],

  UPLOAD_NOT_FOUND: [404, 'The upload does not exist'],
  UPLOAD_INCOMPLETE: [409, 'The content has not arrived'],
  UPLOAD_EXPIRED: [409, 'The upload has expired'],
  UPLOAD_COMPLETED: [409, 'The upload is complete'],
  UPLOAD_MISMATCH: [422, 'The content is not what was declared'],
  UPLOAD_TOO_LARGE: [413, 'The content is larger than allowed'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ErrorCode = keyof typeof errorCodes

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text)
}

/** One member of a request that was refused, and why. `path` is a JSON Pointer (RFC 6901). */
export interface InvalidMember {
  in: 'body' | 'query' | 'path' | 'header'
  path: string
  message: string
}

interface ErrorDetails {
  /** What the caller can do about it; goes to the client, so never a word of the inside. */
  detail?: string
  errors?: InvalidMember[]
  /** The name of the limit, with LIMIT_REACHED. */
  limit?: string
  headers?: Record<string, string>
  /** What went wrong inside; goes to the log only. */
  cause?: unknown
}

/** The only error that routes and rules throw: a code of the table, and what to tell the client. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(code, { cause: details.cause })
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }
}

/** An UNAVAILABLE that tells the client when to come back. */
export function unavailable(detail: string, cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', { detail, cause, headers: { 'Retry-After': '5' } })
}

/** A RATE_LIMITED that tells the client when to come back, in seconds: unless known, after a whole period of the limit. */
export function rateLimited(detail: string, seconds = 60): ApiError {
  return new ApiError('RATE_LIMITED', { detail, headers: { 'Retry-After': String(seconds) } })
}
