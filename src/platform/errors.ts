/**
 * The one table of error codes: status, title, and what a client does about it (docs/conformance.md#error-codes).
 * docs/errors.md is generated from it.
 */
export const errorCodes = {
  UNAUTHENTICATED: [
    401,
    'A valid access token is required',
    'Get a new token and repeat the request once. `detail` and `WWW-Authenticate` name the claim and its problem.',
  ],
  FORBIDDEN: [
    403,
    'The token does not allow this',
    'The token lacks a scope, or this can’t be done on behalf of a player: `detail` says which. Do not repeat.',
  ],
  VALIDATION_FAILED: [
    400,
    'The request is not valid',
    'Read `errors`: each entry names a member of the request and the rule that it breaks. Let the user correct a name, an expiry or a search text; anything else is a mistake in the client.',
  ],
  MALFORMED_JSON: [
    400,
    'The body is not valid JSON',
    'A mistake in the client: send JSON in UTF-8, with each member name once.',
  ],
  INVALID_CURSOR: [
    400,
    'The cursor does not belong to this list',
    'Start the list again from its first page. A cursor belongs to one list with one set of parameters; only `limit` may change.',
  ],
  BODY_TOO_LARGE: [
    413,
    'The body is too large',
    'A mistake in the client: a JSON body has at most 64 KiB, and 1 MiB for `/parts` and `/complete`. For a body of content, `detail` gives the most bytes: MAX_SAVE_BYTES for a save.',
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'The body has another type than the request takes',
    'A mistake in the client: with a JSON body, send `Content-Type: application/json`; with content, its type, and not a form. No body has a `Content-Encoding`.',
  ],
  NOT_FOUND: [
    404,
    'Nothing is served here',
    'A mistake in the client: see `/openapi.json` for the paths. What is missing has a code of its own, like `FILE_NOT_FOUND`.',
  ],
  METHOD_NOT_ALLOWED: [
    405,
    'This method is not allowed here',
    'A mistake in the client: the header `Allow` lists the methods of this path.',
  ],
  PRECONDITION_FAILED: [
    412,
    'The record has changed',
    'Somebody else changed the item. Get it, let the user decide again, and send the new ETag. At the completion of an upload, the upload stays open: complete it with the new ETag in `If-Match`, or abort it.',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    'The Idempotency-Key belongs to another request',
    'A mistake in the client: use a new key for each request, and for each event when publishing.',
  ],
  LIMIT_REACHED: [
    409,
    'A limit has been reached',
    'The member `limit` names the limit; see [the limits](#limits). Do not repeat before something has changed. At the completion of an upload, the upload stays open.',
  ],
  QUOTA_EXCEEDED: [
    403,
    'The storage quota is used up',
    '`used_bytes`, `limit_bytes` and `needed_bytes` say by how much: show them. Offer to empty the trash, to delete assets permanently or to abort open uploads: the trash and deleted assets count. An upload that was started is never refused for the quota later.',
  ],
  RATE_LIMITED: [
    429,
    'Too many requests',
    'Wait `Retry-After` seconds and repeat the request: it had no effect. Send fewer requests at once, and do not poll for what the socket reports.',
  ],
  INTERNAL: [
    500,
    'Something went wrong here',
    'Do not repeat it: this is a fault of the service, and the request may have taken effect. Tell the user, and report the `request_id`, with which it is logged.',
  ],
  UNAVAILABLE: [
    503,
    'Temporarily unavailable',
    'Wait `Retry-After` seconds and repeat the request. It may have taken effect, so repeat a creation with the same `Idempotency-Key`.',
  ],

  FILE_NOT_FOUND: [
    404,
    'The item does not exist',
    'The item never existed, is in the trash, was deleted permanently, or is not visible to the caller. Remove it from the screen. If the trash lists it, offer to restore it. To the grantee of a share, the file is in its owner’s trash or blocked: keep the share on the screen as unavailable.',
  ],
  FILE_PARENT_NOT_FOUND: [404, 'The parent folder does not exist', 'Let the user choose another folder.'],
  FILE_PARENT_NOT_FOLDER: [409, 'The parent is not a folder', 'Let the user choose another folder.'],
  FILE_INVALID_NAME: [400, 'The name is not allowed', 'Show `detail` and let the user change the name.'],
  FILE_CYCLIC_MOVE: [
    409,
    'A folder cannot move into itself',
    'Tell the user: a folder cannot be moved into itself or into a folder below it.',
  ],
  FILE_IS_FOLDER: [
    409,
    'A folder has no content',
    'A folder can be neither downloaded, shared nor replaced. List it, share the files in it, or make it public.',
  ],
  FILE_NOT_READY: [
    409,
    'The content is not ready',
    'Complete or abort the upload of the file first. If the file has failed, send its content with a new upload that has its `file_id`.',
  ],
  CONTENT_TOO_LARGE: [
    409,
    'The content is too large for one answer',
    'Get the URL at `/v1/files/{id}/url`, and download the content from it.',
  ],
  FILE_NOT_TRASHED: [
    409,
    'The item is not in the trash',
    'The item is in its place. After a repeated restore, take it as done. To delete it permanently, delete it first.',
  ],

  SHARE_NOT_FOUND: [
    404,
    'The share does not exist',
    'The share was revoked, its file was deleted permanently, or the caller is neither its owner nor its grantee. Remove it from the screen. When revoking, take it as done.',
  ],
  SHARE_ACCESS_DENIED: [
    403,
    'The share gives no access',
    'The share has expired: remove it from the screen; its owner may share again. To the owner: get the URL at `/v1/files/{id}/url`.',
  ],
  SHARE_INVALID_GRANTEE: [
    400,
    'This user cannot be shared with',
    'Let the user name somebody else: not the owner, and an id of 1–128 characters.',
  ],

  ASSET_NAME_REQUIRED: [
    400,
    'A name is required',
    'The name is missing or has no visible character: let the user change it.',
  ],
  ASSET_NAME_TOO_LONG: [
    400,
    'The name is too long',
    'A name has at most 255 characters (code points): let the user shorten it.',
  ],
  INVALID_ASSET_TYPE: [
    400,
    'The type is not one of game assets',
    'A mistake in the client: the type is `world`, `avatar` or `prop`, in a filter and a path too.',
  ],
  INVALID_VISIBILITY: [
    400,
    'The visibility is neither public nor private',
    'A mistake in the client: send `public` or `private`.',
  ],
  DUPLICATE_ASSET_NAME: [
    409,
    'The name is taken',
    'The user has a live asset of exactly this name: let them choose another. When restoring, send `name`. At the completion of an upload, the upload stays open: complete it with another `name`.',
  ],
  ASSET_NOT_FOUND: [
    404,
    'The asset does not exist',
    'The asset never existed, was deleted, is private or blocked, or the caller may not change it. Remove it from the screen. If `GET /v1/game/assets?deleted=true` lists it, offer to restore it. At the completion of an upload: if the asset is deleted, the upload stays open, so restore the asset and complete again; if it was deleted permanently, the upload has failed.',
  ],
  RATING_LOCKED: [
    403,
    'A moderator has set the lowest rating',
    'Tell the user: a moderator has rated the asset, and it can’t have a lower rating. A decision about it may be appealed.',
  ],
  VERSION_NOT_FOUND: [
    404,
    'The version does not exist',
    'No version has this number, it was deleted, or the asset has no content yet. List the versions again; when branching, `detail` names the latest one.',
  ],
  VARIANT_NOT_FOUND: [
    404,
    'The version has no content for this platform',
    'The version has no variant for this platform, or it was deleted; and its own content is for another one. Tell the user that the content is not for their device. When deleting, take it as done.',
  ],
  DUPLICATE_PLATFORM: [
    409,
    'The version has this platform already',
    'The version’s own content or a variant is for this platform, or a variant was and has been deleted. Send a new version. At the completion of an upload, the upload stays open: abort it.',
  ],
  CHANNEL_NOT_FOUND: [
    404,
    'The channel does not exist',
    'No channel of the asset has this key or name: it was deleted, or made again with a new key. Ask for the key again; without `channel_key` you get what everybody gets.',
  ],
  NO_VERSIONS_TO_BRANCH: [
    409,
    'The asset has no version to branch',
    'The asset has no content yet. Branch it once it has a version.',
  ],

  REPORT_NOT_FOUND: [
    404,
    'The report does not exist',
    'The report never existed, is older than reports are kept, or is somebody else’s. Remove it from the screen.',
  ],
  CASE_NOT_FOUND: [
    404,
    'The case does not exist',
    'The case never existed, or is older than cases are kept. Load the queue again.',
  ],
  CASE_DECIDED: [
    409,
    'The case was decided meanwhile',
    '`decision` is what is in force, or null. Look at it, decide again, and name it in `replaces`.',
  ],
  DECISION_NOT_FOUND: [
    404,
    'The decision does not exist',
    'The decision never existed, is older than decisions are kept, or concerns somebody else. Remove it from the screen.',
  ],
  APPEAL_CLOSED: [
    409,
    'No appeal is possible',
    'There is an appeal already, the time for it is over, or the decision was lifted. Get the decision again and show it.',
  ],

  SAVE_READ_ONLY: [
    403,
    'Only the studio’s servers write this slot',
    'A mistake in the client: players read the slots whose names begin with `server.`, and change none of them. The clients’ offline queues give such a save back to the game.',
  ],
  SAVE_NOT_FOUND: [
    404,
    'The save does not exist',
    'The slot is empty, or its save was deleted. If `GET /v1/saves?deleted=true` lists it, offer to restore it.',
  ],
  SAVE_REVISION_NOT_FOUND: [
    404,
    'The revision of the save does not exist',
    'The revision was never written, or newer ones have taken its room. List the revisions again.',
  ],

  RECALL_NOT_FOUND: [
    404,
    'The recall does not exist',
    'A mistake in the caller: `GET /v1/recalls` has all recalls, those that have ended too.',
  ],
  ANNOUNCEMENT_NOT_FOUND: [
    404,
    'The announcement does not exist',
    'It has ended, or its time is over. Remove it from the display.',
  ],
  NOTIFICATION_NOT_FOUND: [
    404,
    'The notification does not exist',
    'The notification was deleted, is older than the retention time, or belongs to somebody else. Remove it from the screen.',
  ],
  UPGRADE_REQUIRED: [426, 'This is a WebSocket', 'A mistake in the client: open a WebSocket at this path.'],

  UPLOAD_NOT_FOUND: [
    404,
    'The upload does not exist',
    'The upload was aborted, has expired, or its file was deleted permanently. Start a new one.',
  ],
  UPLOAD_INCOMPLETE: [
    409,
    'The content has not arrived',
    'The upload is open. Send what `detail` names (the content, the missing parts, or a part with a wrong ETag, which was sent twice), and complete it again with the new ETags.',
  ],
  UPLOAD_EXPIRED: [
    409,
    'The upload has expired',
    'The upload took longer than `UPLOAD_TTL`. Start a new one.',
  ],
  UPLOAD_COMPLETED: [
    409,
    'The upload is complete',
    'A completed upload can neither be aborted nor take parts. To undo it, delete the file, asset or version that it made.',
  ],
  UPLOAD_MISMATCH: [
    422,
    'The content is not what was declared',
    'The size, type, picture format, checksum or a header differs from what was declared, or a picture is none that is taken: `detail` says why. An upload has failed: start a new one. Content in one request was not stored.',
  ],
  UPLOAD_REJECTED: [
    422,
    'The content was rejected',
    'The studio’s check of content has rejected it; `detail` says why. Show it to the user. The upload has failed, and other content needs a new one.',
  ],
  UPLOAD_TOO_LARGE: [
    413,
    'The content is larger than allowed',
    'Tell the user: `detail` gives the largest size of this type. Freeing space does not help.',
  ],
  VERSION_IS_CURRENT: [
    409,
    'The version is in use and cannot be deleted',
    'It is the current version, or a channel serves it. Upload another version or roll back first, or have the channel serve another one; then this one can be deleted.',
  ],
  MUTED_BY_USER: [
    409,
    'The recipient has muted the sender',
    'Only the studio’s services see this code. Drop the notification, and do not let the sender know. It may be published once the recipient has unmuted the sender.',
  ],
  UPLOAD_REQUIRED: [
    409,
    'This content needs an upload',
    'Content of this kind is checked before it can be read. Send it with `POST /v1/uploads`.',
  ],
} as const satisfies Record<string, readonly [status: number, title: string, action: string]>

/** A code of the table. */
export type ErrorCode = keyof typeof errorCodes

/** Whether a text is an error code. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text)
}

/**
 * The limits that LIMIT_REACHED names: the variable that sets each, or the number when none does, and the `detail` of the error, which
 * says what the caller can do.
 */
export const limits = {
  items: [
    'MAX_ITEMS',
    'You have reached the limit of items; those in the trash count. Delete some permanently.',
  ],
  folder_depth: [
    'MAX_FOLDER_DEPTH',
    'There would be too many folders above an item. Choose a folder at a higher level.',
  ],
  folders_moved: [
    'MAX_FOLDERS_MOVED',
    'The folder holds too many folders to be moved deeper at once. Move its folders one by one.',
  ],
  shares: ['MAX_SHARES_PER_FILE', 'This file has reached its limit of shares. Revoke some.'],
  shares_with_grantee: [
    'MAX_SHARES_PER_GRANTEE',
    'You have reached the limit of shares with this user. Revoke some.',
  ],
  open_uploads: [
    'MAX_OPEN_UPLOADS',
    'You have reached the limit of open uploads. Complete some. An aborted or failed upload counts until its URLs expire.',
  ],
  ended_uploads: [
    'MAX_ENDED_UPLOADS',
    'You have reached the limit of uploads that ended within a day. Start this one later.',
  ],
  assets: [
    'MAX_ASSETS',
    'You have reached the limit of assets; deleted ones count. Delete some permanently.',
  ],
  public_assets: [
    'MAX_PUBLIC_ASSETS',
    'You have reached the limit of public assets. Make some private, or delete some.',
  ],
  versions: [
    'MAX_VERSIONS_PER_ASSET',
    'This asset has reached its limit of versions. Delete old ones, or branch it to continue.',
  ],
  all_versions: [
    'MAX_VERSIONS',
    'Your assets have reached the limit of versions and variants of all assets together. Delete some permanently.',
  ],
  variants: [8, 'This version has 8 variants, and can’t have more; deleted ones count. Send a new version.'],
  channels: [
    10,
    'This asset has reached its limit of channels. Delete one, or have one serve another version.',
  ],
  favorites: ['MAX_FAVORITES', 'You have reached the limit of favorites. Take some back.'],
  mutes: ['MAX_MUTES', 'You have reached the limit of muted users. Unmute some.'],
  save_slots: [
    'MAX_SAVE_SLOTS',
    'You have reached the limit of slots. Write to one that you have, or delete one.',
  ],
  reports: ['MAX_REPORTS_PER_DAY', 'You have reported as much as is possible in a day. Go on tomorrow.'],
  server_slots: [
    'MAX_SERVER_SLOTS',
    'The player has so many slots of the studio’s servers. Let the server delete one. Deleted slots do not count.',
  ],
  recalls: ['MAX_RECALLS', 'So many recalls are in force already. End one first.'],
  announcements: ['MAX_ANNOUNCEMENTS', 'So many announcements are in force already. End one first.'],
  idempotency_keys: [
    'MAX_IDEMPOTENCY_KEYS',
    'You have reached the limit of Idempotency-Keys within 24 hours. Repeat the request without one, or later.',
  ],
} as const satisfies Record<string, readonly [variable: string | number, detail: string]>

/** The name of a limit of the table. */
export type Limit = keyof typeof limits

/** Whether a text is the name of a limit. */
export function isLimit(text: string | null | undefined): text is Limit {
  return typeof text === 'string' && Object.hasOwn(limits, text)
}

/** An invalid member of a request. `path` is a JSON Pointer (RFC 6901). */
export interface InvalidMember {
  in: 'body' | 'query' | 'path' | 'header'
  path: string
  message: string
}

/** The most invalid members that an answer names. */
export const MAX_ERRORS = 20

/**
 * @public The members of a problem document that belong to some codes. A feature declares its own beside its types: `current` in
 * src/features/saves/rpc.ts.
 */
export interface ErrorMembers extends Partial<QuotaMembers> {
  /** With VALIDATION_FAILED. */
  errors?: InvalidMember[] | undefined
  /** The reached limit, with LIMIT_REACHED. */
  limit?: Limit | undefined
}

/** With QUOTA_EXCEEDED: what is in use (of saves, what can't make room), what may be in use, and what would have been added to it. */
export interface QuotaMembers {
  used_bytes: number
  limit_bytes: number
  needed_bytes: number
}

interface ErrorDetails extends ErrorMembers {
  /** The `detail` of the problem document: what the client can do about the error. It contains nothing internal. */
  detail?: string
  headers?: Record<string, string>
  /** The internal cause, for the log only. */
  cause?: unknown
}

/** The only error that routes and rules throw: a code of the table, with details for the client. */
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

/** A LIMIT_REACHED with the table's detail for the limit. */
export function limitReached(limit: Limit, cause?: unknown): ApiError {
  return new ApiError('LIMIT_REACHED', { limit, detail: limits[limit][1], cause })
}

/** A QUOTA_EXCEEDED, whose detail and members say how many bytes are in use, allowed and needed. */
export function quotaExceeded(
  { used_bytes, limit_bytes, needed_bytes }: QuotaMembers,
  {
    advice = 'Empty the trash, or delete something for good.',
    cause,
  }: { advice?: string; cause?: unknown } = {},
): ApiError {
  const free = Math.max(0, limit_bytes - used_bytes)
  const detail = `This needs ${grouped(needed_bytes)} bytes, and ${grouped(free)} of ${grouped(limit_bytes)} are free. ${advice}`
  return new ApiError('QUOTA_EXCEEDED', { used_bytes, limit_bytes, needed_bytes, detail, cause })
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}

/** An UNAVAILABLE that tells the client to retry in 5 seconds. */
export function unavailable(detail: string, cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', { detail, cause, headers: { 'Retry-After': '5' } })
}

/** Throws an UNAVAILABLE for a call to R2 that failed or took too long. */
export function storageUnavailable(cause: unknown): never {
  throw unavailable('The storage did not answer. Try again.', cause)
}

/** A RATE_LIMITED that tells the client when to retry: by default, after a whole period of the limit. */
export function rateLimited(detail: string, seconds = 60): ApiError {
  return new ApiError('RATE_LIMITED', { detail, headers: { 'Retry-After': String(seconds) } })
}
