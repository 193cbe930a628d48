import type { TokenSource } from './token.ts'

/** What a client of the service is made of. */
export interface ClientOptions {
  /** Where the service is, like `https://storage.example.com`: what comes before `/v1`. */
  baseUrl: string
  token: TokenSource
  /**
   * Takes the place of the global `fetch`, for requests to the service and for the content of uploads. With the latter it
   * is given `content` too, to tell how much has been sent.
   */
  fetch?: (request: Request, content?: SentContent) => Promise<Response>
  /** How often and how soon a request is repeated that had no answer, or 429 or 503. */
  retry?: RetryOptions
  /** How many milliseconds one attempt of a request may take until its answer. Default: 30,000. */
  timeoutMs?: number
  /**
   * Told once for each operation that the service says it will stop answering (docs/compatibility.md). Default:
   * `console.warn`.
   */
  onDeprecated?: (message: string) => void
}

/** The content that a request carries to storage. */
export interface SentContent {
  body: Blob | Uint8Array
  /** Told how many bytes have been sent. Without it, progress is told by the part. */
  onSent: (bytes: number) => void
  /**
   * Sends the request as it is sent without a `fetch` of yours, and tells `onSent`: for a `fetch` that only looks at
   * requests and answers. In browsers this is XMLHttpRequest, because their `fetch` does not tell what has been sent.
   */
  send: () => Promise<Response>
}

/** A request is repeated after a random time up to `minDelayMs`, then up to twice that, and so on. */
export interface RetryOptions {
  /** How often a request is sent at most. 1: once. Default: 5. */
  attempts?: number
  /** Default: 250. */
  minDelayMs?: number
  /** Default: 8,000. A `Retry-After` of the service may be longer. */
  maxDelayMs?: number
}

/** What every method takes. */
export interface RequestOptions {
  /** Ends the request, a wait before its next attempt included. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** What a method that creates something takes. */
export interface CreationOptions extends RequestOptions {
  /**
   * The same for each repetition of the same creation, for 24 hours. Each call has one of its own, which its repetitions
   * keep; set it when your application repeats the call itself, like after a restart.
   */
  idempotencyKey?: string | undefined
}

/** What a method that changes an item takes. */
export interface ChangeOptions extends RequestOptions {
  /** The `etag` of the item as it was read: the change is refused with PRECONDITION_FAILED if it has changed since. */
  ifMatch?: string | undefined
}
