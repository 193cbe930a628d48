import type { TokenSource } from './token.ts'

/** The options of `createClient`. */
export interface ClientOptions {
  /** The URL of the service without `/v1`, like `https://storage.example.com`. */
  baseUrl: string
  token: TokenSource
  /**
   * Replaces the global `fetch`, for requests to the service and for the content of uploads. For an upload's content the
   * second argument is given; call its `onSent` to report progress.
   */
  fetch?: (request: Request, content?: SentContent) => Promise<Response>
  /** How often and how soon a request is repeated after no answer, 429 or 503. */
  retry?: RetryOptions
  /** The time limit of one attempt of a request. Content has a second more for each 16 KiB. Default: 30,000. */
  timeoutMs?: number
  /**
   * Called once for each operation that the service marks as deprecated (docs/requests.md#what-may-change-under-v1). Default: `console.warn`.
   */
  onDeprecated?: (message: string) => void
}

/** The content of an upload that a request sends to storage. */
export interface SentContent {
  body: Blob | Uint8Array
  /** Call it with the number of bytes sent so far. Without calls, progress advances part by part. */
  onSent: (bytes: number) => void
  /**
   * Sends the request as the client does by default, and calls `onSent`: for a `fetch` that only observes requests and
   * answers. Browsers use XMLHttpRequest, because their `fetch` reports no upload progress.
   */
  send: () => Promise<Response>
}

/** How a request is repeated: after a random delay of at most `minDelayMs`, then of at most twice that, and so on. */
export interface RetryOptions {
  /** How often a request is sent at most; 1 disables repetitions. Default: 5. */
  attempts?: number
  /** Default: 250. */
  minDelayMs?: number
  /** Default: 8,000. A `Retry-After` of the service is added. */
  maxDelayMs?: number
}

/** The options of every method. */
export interface RequestOptions {
  /** Aborts the request, or the wait before its next attempt. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** The options of a method that creates an item. */
export interface CreationOptions extends RequestOptions {
  /**
   * Identifies the creation for 24 hours: repeated with the same key, it answers the item that it created first. By default
   * each call makes a key; set one when your application repeats the call itself, for example after a restart.
   */
  idempotencyKey?: string | undefined
}

/** The options of a method that changes an item. */
export interface ChangeOptions extends RequestOptions {
  /**
   * The `etag` of the item when it was read. The change fails with PRECONDITION_FAILED when the item has changed since.
   * Leave it out for no condition: undefined is a TypeError, because a record within another has no `etag`.
   */
  ifMatch?: string
}

/** The options of a method that needs a scope and changes something. */
export interface AuditedOptions extends RequestOptions {
  /** Why, for the audit: 1 to 500 code points. */
  auditReason?: string | undefined
}
