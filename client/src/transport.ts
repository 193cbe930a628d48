import { filledPath, serviceAddress } from './address.ts'
import type { ByteArray } from './bytes.ts'
import { userOf } from './claims.ts'
import { Deprecations } from './deprecation.ts'
import { EtagStrippedError, errorOf, NetworkError, ServiceError, unreachable } from './errors.ts'
import type { AuditedOptions, ChangeOptions, ClientOptions, CreationOptions } from './options.ts'
import { abortReason, type Backoff, backoffDelay, backoffOf, withRetries } from './retry.ts'
import { checkedSource, checkedToken, type TokenSource } from './token.ts'
import { userAgent } from './user-agent.ts'

const DEFAULT_TIMEOUT_MS = 30_000
/** A request with content may take longer by a second for so many bytes: 128 kbit/s, the least of a phone's network. */
const BYTES_PER_SECOND = 16 * 2 ** 10

/** The content of a request whose body is not JSON. */
export interface Bytes {
  content: Blob | ByteArray
  mime_type: string
  /** In base64. The service refuses other bytes than these. */
  sha256?: string | undefined
  /** What is said about them in other headers. */
  headers?: Record<string, string> | undefined
}

/** The members of a request: those of its path, and of its query or its body. */
type Given = object | undefined
type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** An option of requests that are repeated. */
export interface Sent {
  /** Called when no answer arrived, or 503: the request may have taken effect. */
  onLost?: (() => void) | undefined
}

/** How a request is sent. */
interface Sending extends Sent {
  key?: string | undefined
  isRepeatable: boolean
  bytes?: Bytes | undefined
  /** An answer that is no JSON: the bytes of a save, or content, whose body is not read here. */
  answer?: 'bytes' | 'stream'
}

type Options = CreationOptions & ChangeOptions & AuditedOptions & Sent

/** Sends the requests of a client: adds the token, repeats requests, and turns error responses into exceptions. */
export class Transport {
  readonly baseUrl: string
  readonly backoff: Backoff
  /** The option `fetch`. */
  readonly ownFetch: ClientOptions['fetch']
  readonly timeoutMs: number
  readonly #options: ClientOptions
  readonly #tokens: TokenSource
  readonly #deprecations: Deprecations
  /** The newest database bookmark that an answer carried. */
  #bookmark: string | undefined
  /** The renewal under way, which all requests share. */
  #renewal: Promise<string> | undefined
  #renewals = 0
  /** The headers of each request on behalf of a player; undefined for requests of the token's own user. */
  readonly #onBehalf: Record<string, string> | undefined

  constructor(options: ClientOptions, onBehalf?: Record<string, string>) {
    this.#onBehalf = onBehalf
    const { baseUrl, token, fetch, retry, timeoutMs = DEFAULT_TIMEOUT_MS, onDeprecated } = options
    this.#options = options
    this.baseUrl = serviceAddress(baseUrl)
    this.backoff = backoffOf(retry)
    this.ownFetch = fetch
    this.#tokens = checkedSource(token)
    this.timeoutMs = timeoutMs
    this.#deprecations = new Deprecations(onDeprecated)
  }

  /** A transport that sends no request with the token of another user. */
  ofUser(user: string): Transport {
    const token = async (request: { renew: boolean }) => {
      const token = await this.token(request)
      if (userOf(token) !== user) throw new Error('The token is of another user than the saves.')
      return token
    }
    return new Transport({ ...this.#options, token }, this.#onBehalf)
  }

  /** A transport that sends each request on behalf of a player, with the reason for the audit. */
  onBehalfOf(user_id: string, reason: string | undefined): Transport {
    if (typeof user_id !== 'string' || user_id === '') throw new TypeError('The user_id is missing.')
    const given = reason !== undefined && { 'Audit-Reason': encodeURIComponent(reason) }
    return new Transport(this.#options, { 'On-Behalf-Of': encodeURIComponent(user_id), ...given })
  }

  /** @throws TypeError on behalf of a player, for what would be done for the token's own user */
  checkOwn(what: string): void {
    if (this.#onBehalf) throw new TypeError(`${what} can't be had on behalf of a player.`)
  }

  /** The user's token. With `renew`, a new one: requests that ask for it at the same time get the same. */
  async token({ renew } = { renew: false }): Promise<string> {
    const tokens = this.#tokens
    if (typeof tokens === 'string') return tokens
    if (!renew) return checkedToken(await tokens({ renew }))
    this.#renewal ??= Promise.resolve(tokens({ renew }))
      .then(checkedToken)
      .finally(() => {
        this.#renewals += 1
        this.#renewal = undefined
      })
    return this.#renewal
  }

  /** Sends a creation: an Idempotency-Key makes it repeatable. */
  creating(path: string, given: Given, options: Options = {}, bytes?: Bytes): Promise<Response> {
    const key = options.idempotencyKey ?? newKey()
    return this.#request('POST', path, given, options, { key, isRepeatable: true, bytes })
  }

  /** Sends a request whose repetition has no further effect, or is recognised by the key. */
  repeatable(
    method: Method,
    path: string,
    given?: Given,
    options: Options = {},
    bytes?: Bytes,
  ): Promise<Response> {
    const { idempotencyKey: key, onLost } = options
    return this.#request(method, path, given, options, { key, isRepeatable: true, bytes, onLost })
  }

  /** Sends a request that may have another effect when it is repeated. */
  unrepeatable(method: Method, path: string, given?: Given, options: Options = {}): Promise<Response> {
    return this.#request(method, path, given, options, { isRepeatable: false })
  }

  /** Asks for a revision in bytes, which are read here, or for content, which is not. */
  reading(path: string, given: Given, options: Options, answer: 'bytes' | 'stream'): Promise<Response> {
    return this.#request('GET', path, given, options, { isRepeatable: true, answer })
  }

  async #request(
    method: Method,
    path: string,
    given: Given = {},
    options: Options,
    sending: Sending,
  ): Promise<Response> {
    checkNames(given, options)
    const { key, bytes } = sending
    const { address, others } = filledPath(path, given)
    const isInQuery = bytes !== undefined || method === 'GET' || method === 'DELETE'
    const hasJson = !isInQuery && Object.keys(others).length > 0
    const type = bytes?.mime_type ?? (hasJson ? 'application/json' : undefined)
    const request = new Request(this.baseUrl + address + (isInQuery ? queryOf(others) : ''), {
      method,
      headers: {
        ...this.#onBehalf,
        ...(type !== undefined && { 'Content-Type': type }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(options.ifMatch !== undefined && { 'If-Match': options.ifMatch }),
        ...(options.auditReason !== undefined && { 'Audit-Reason': encodeURIComponent(options.auditReason) }),
        ...(bytes?.sha256 !== undefined && { 'Content-Digest': `sha-256=:${bytes.sha256}:` }),
        ...bytes?.headers,
      },
      body: bytes?.content ?? (hasJson ? JSON.stringify(others) : null),
      signal: options.signal ?? null,
    })
    return this.#send(request, `${method} ${path}`, options, sending)
  }

  /** Sends a request, and repeats it after a temporary failure where a repetition is safe. */
  async #send(request: Request, operation: string, options: Options, sending: Sending): Promise<Response> {
    const { signal } = options
    checkMatch(options)
    let canRepeat = sending.isRepeatable
    let mayHaveTakenEffect = false
    const attempt = async () => {
      try {
        return await this.#authorised(request, operation, signal, sending)
      } catch (error) {
        const isGone = error instanceof ServiceError && error.status === 404
        // An earlier attempt has deleted the item, and its answer was lost.
        if (isGone && mayHaveTakenEffect && request.method === 'DELETE')
          return new Response(null, { status: 204 })
        // The user has too many keys: the creation goes without one, and can't be repeated.
        if (isKeyLimit(error) && options.idempotencyKey === undefined) {
          request.headers.delete('Idempotency-Key')
          canRepeat = false
          return await this.#authorised(request, operation, signal, sending)
        }
        throw error
      }
    }
    let failures = 0
    const delayOf = (error: unknown) => {
      if (!isTemporary(error)) return undefined
      const hadNoEffect = error instanceof ServiceError && error.code === 'RATE_LIMITED'
      if (!hadNoEffect && !canRepeat) return undefined
      mayHaveTakenEffect ||= !hadNoEffect
      if (!hadNoEffect) sending.onLost?.()
      failures += 1
      const delay = backoffDelay(this.backoff, failures)
      const retryAfterSeconds = error instanceof ServiceError ? (error.retry_after ?? 0) : 0
      return delay === undefined ? undefined : delay + retryAfterSeconds * 1_000
    }
    return withRetries(attempt, delayOf, signal)
  }

  /** Sends a request with the user's token, and once more with a new token when the first is rejected. */
  async #authorised(
    request: Request,
    operation: string,
    signal: AbortSignal | undefined,
    sending: Sending,
  ): Promise<Response> {
    const before = this.#renewals
    try {
      return await this.#answer(request, operation, await this.token(), signal, sending)
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.code === 'UNAUTHENTICATED'
      if (!isRefused || typeof this.#tokens === 'string') throw error
      // Another request may have renewed the token while this one was under way.
      const token = await this.token({ renew: this.#renewals === before })
      return this.#answer(request, operation, token, signal, sending)
    }
  }

  /** Sends a request once, and reads the whole answer unless it is content. @throws ServiceError, NetworkError */
  async #answer(
    original: Request,
    operation: string,
    token: string,
    signal: AbortSignal | undefined,
    { bytes, answer }: Sending,
  ): Promise<Response> {
    const ended = new AbortController()
    const abort = () => ended.abort()
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    const timeoutMs = this.timeoutMs + (bytes ? (sizeOf(bytes.content) / BYTES_PER_SECOND) * 1_000 : 0)
    // The reason tells an own `fetch` a timeout from an abort of the caller's.
    const timer = setTimeout(() => ended.abort('timeout'), timeoutMs)
    let isUnread = false
    try {
      // A redirect would carry the token to another address. Workers lack `redirect: 'error'` (cloudflare/workerd#7452).
      const request = new Request(original.clone(), { signal: ended.signal, redirect: 'manual' })
      request.headers.set('Authorization', `Bearer ${token}`)
      const agent = userAgent()
      if (agent !== undefined) request.headers.set('User-Agent', agent)
      if (this.#bookmark !== undefined) request.headers.set('X-D1-Bookmark', this.#bookmark)
      const response = await (this.ownFetch ?? globalThis.fetch)(request)
      this.#keepBookmark(response)
      this.#deprecations.note(operation, response)
      // A network that asks for a login answers without the service's header.
      if (answer === 'stream' && response.ok && response.headers.has('X-Request-Id')) {
        isUnread = true
        return response
      }
      if (answer === 'bytes' && response.ok) {
        const etag = response.headers.get('ETag')
        if (!etag && response.headers.has('X-Request-Id')) throw new EtagStrippedError()
        // A proxy's page may have any type, too, but it has no ETag of a revision.
        if (!/^(W\/)?"\d+"$/.test(etag ?? '')) throw new NetworkError('Something else answered.')
        return new Response(await response.arrayBuffer(), response)
      }
      const text = await response.text()
      if (!response.ok) throw errorOf(response, text)
      const type = response.headers.get('Content-Type') ?? ''
      if (text !== '' && !/\bjson\b/.test(type))
        throw new NetworkError(`Something else answered, with ${type}.`)
      return new Response(text || null, response)
    } catch (error) {
      if (error instanceof ServiceError || error instanceof NetworkError) throw error
      if (error instanceof EtagStrippedError) throw error
      if (signal?.aborted) throw abortReason(signal)
      if (ended.signal.aborted)
        throw new NetworkError(`No answer from ${this.baseUrl} in ${Math.round(timeoutMs)} ms.`)
      throw new NetworkError(unreachable(this.baseUrl), { cause: error })
    } finally {
      clearTimeout(timer)
      if (!isUnread) signal?.removeEventListener('abort', abort)
    }
  }

  /** Bookmarks sort by age as strings, so an answer that arrives late never replaces a newer bookmark. */
  #keepBookmark(response: Response): void {
    const bookmark = response.headers.get('X-D1-Bookmark')
    if (bookmark !== null && bookmark > (this.#bookmark ?? '')) this.#bookmark = bookmark
  }
}

/** The members as a query, also in React Native, which lacks most of `URL`. A list is a parameter that is repeated. */
function queryOf(members: Record<string, unknown>): string {
  const pairs = Object.entries(members).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one == null ? [] : `${name}=${encodeURIComponent(String(one))}`)),
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/**
 * @throws TypeError for a condition that is empty or undefined: the request would have none. Runtimes and proxies drop an empty
 * header, and a record within another has no ETag.
 */
export function checkMatch(options: ChangeOptions): void {
  if ('ifMatch' in options && !options.ifMatch?.trim())
    throw new TypeError(
      `ifMatch is ${options.ifMatch === undefined ? 'undefined' : 'empty'}: give the ETag that was read, or leave it out.`,
    )
}

/** The option of a condition; none without an ETag, because one that is given must have it. */
export function matching(ifMatch: string | undefined): Pick<ChangeOptions, 'ifMatch'> {
  return ifMatch === undefined ? {} : { ifMatch }
}

/** @throws TypeError for a member or an option whose name is written as that of the other: it would be ignored */
export function checkNames(given: object, options: object): void {
  for (const name of Object.keys(given))
    if (/[A-Z]/.test(name))
      throw new TypeError(
        `There is no member ${name}: they are written like parent_id, and options are the last argument.`,
      )
  for (const name of Object.keys(options))
    if (name.includes('_'))
      throw new TypeError(
        `There is no option ${name}: they are written like ifMatch, and members are the first argument.`,
      )
}

function sizeOf(content: Bytes['content']): number {
  return content instanceof Uint8Array ? content.length : content.size
}

/** Whether the same request may succeed later. */
function isTemporary(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ServiceError && [429, 503].includes(error.status))
}

function isKeyLimit(error: unknown): boolean {
  return error instanceof ServiceError && error.limit === 'idempotency_keys'
}

/** A unique key. It is no secret, so Math.random() suffices; some runtimes lack `crypto`. */
export function newKey(): string {
  const random = () => Math.random().toString(36).slice(2, 12).padEnd(10, '0')
  return `${Date.now().toString(36)}-${random()}${random()}`
}
