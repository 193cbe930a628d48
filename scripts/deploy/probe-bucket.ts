/** Access to the bucket for the probe of a deployment: R2's S3 API, with URLs signed as the service signs them. */
import { AwsClient } from 'aws4fetch'
import { PROBES } from '../../src/platform/config/copy-guards.ts'
import { createSigner, type S3Access } from '../../src/platform/storage/presign.ts'

/** How long the signed URLs are valid. */
const TTL_SECONDS = 300
/** The time limit of an attempt, and how often a request is sent when R2 gives no answer. */
const TIMEOUT_MS = 10_000
const ATTEMPTS = 4
/** The pause before the second attempt, doubled for each further one. R2 accepts one write a second for each key. */
const PAUSE_MS = 250
/** Objects of an interrupted probe are removed by a later one at this age; younger ones may belong to a running probe. */
const LEFTOVER_MS = 3_600_000

/** An answer of R2. */
export interface Answer {
  status: number
  /** The name of the error (https://developers.cloudflare.com/r2/api/error-codes/); undefined when there is none. */
  code: string | undefined
  message: string | undefined
  /** The ETag of the stored object or part. */
  etag: string | undefined
  text: string
  /** How far R2's clock is ahead of this machine's clock. */
  ahead_ms: number
}

/** R2 could not be reached, or is overloaded (429, 5xx). */
export class NoAnswer extends Error {}

/** An upload in parts that is open. */
export interface OpenUpload {
  key: string
  id: string
}

/** A PUT: the headers that are signed, further headers, and the body. */
export interface Put {
  signed: Record<string, string>
  unsigned?: Record<string, string>
  body: string
}

export class ProbeBucket {
  readonly #access: S3Access
  readonly #client: AwsClient
  readonly #signer: ReturnType<typeof createSigner>
  readonly #signal: AbortSignal
  readonly #prefix = `${PROBES}${crypto.randomUUID()}/`
  readonly #keys = new Set<string>()
  readonly #uploads = new Map<string, OpenUpload>()

  /** `signal` aborts the requests, except those of `clean`. */
  constructor(access: S3Access, signal: AbortSignal) {
    const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = access
    this.#access = access
    this.#client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'auto' })
    this.#signer = createSigner(access)
    this.#signal = signal
  }

  /** The two spellings of an object in `x-amz-copy-source`: R2's, and S3's with a leading slash. */
  sourcesOf(key: string): string[] {
    const source = `${this.#access.S3_BUCKET}/${key}`
    return [source, `/${source}`]
  }

  /** Sends a PUT to the URL of a new object. Returns its key and the answer. */
  put({ signed, unsigned, body }: Put): Promise<{ key: string; answer: Answer }> {
    return this.#patiently(async () => {
      const key = this.#newKey()
      this.#keys.add(key)
      const { url } = await this.#signer.upload(key, signed, now(), TTL_SECONDS)
      return { key, answer: await this.#send(url, 'PUT', { ...signed, ...unsigned }, body) }
    })
  }

  /** Sends a PUT to the URL of a part. */
  part({ key, id }: OpenUpload, part_number: number, { signed, unsigned, body }: Put): Promise<Answer> {
    return this.#patiently(async () => {
      const { url } = await this.#signer.part(key, id, part_number, signed, now(), TTL_SECONDS)
      return this.#send(url, 'PUT', { ...signed, ...unsigned }, body)
    })
  }

  /** The content of an object; undefined when there is none. */
  async read(key: string): Promise<{ answer: Answer; content: string | undefined }> {
    const answer = await this.#patiently(async () => {
      const { url } = await this.#signer.download(key, 'attachment', now(), TTL_SECONDS)
      return this.#send(url, 'GET')
    })
    return { answer, content: answer.status === 200 ? answer.text : undefined }
  }

  /** Starts an upload in parts, as the binding does for the service. */
  async startUpload(): Promise<{ answer: Answer; upload: OpenUpload | undefined }> {
    const key = this.#newKey()
    const answer = await this.#patiently(() => this.#authorized('POST', key, '?uploads'))
    const id = xmlValue(answer.text, 'UploadId')
    if (answer.status !== 200 || id === undefined) return { answer, upload: undefined }
    const upload = { key, id }
    this.#uploads.set(id, upload)
    return { answer, upload }
  }

  /** Joins one part to an object. */
  complete({ key, id }: OpenUpload, part_number: number, etag: string): Promise<Answer> {
    this.#keys.add(key)
    const part = `<Part><PartNumber>${part_number}</PartNumber><ETag>${etag}</ETag></Part>`
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`
    return this.#patiently(() => this.#authorized('POST', key, uploadQuery(id), body))
  }

  /** Removes the objects and uploads of the probe. Returns the keys that could not be removed. */
  async clean(): Promise<string[]> {
    const uploads = [...this.#uploads.values()].map(({ key, id }) => ({ key, query: uploadQuery(id) }))
    const objects = [...this.#keys].map((key) => ({ key, query: '' }))
    const ends = await Promise.all(
      [...uploads, ...objects].map(async ({ key, query }) =>
        (await this.#removed(key, query)) ? [] : [key],
      ),
    )
    return ends.flat()
  }

  /** Removes the objects of interrupted probes. A lifecycle rule of the bucket aborts their uploads. */
  async removeLeftovers(): Promise<void> {
    const answer = await this.#patiently(() =>
      this.#authorized('GET', '', `?list-type=2&prefix=${encodeURIComponent(PROBES)}`),
    )
    for (const [, object = ''] of answer.text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const key = xmlValue(object, 'Key') ?? ''
      const age_ms = Date.now() - Date.parse(xmlValue(object, 'LastModified') ?? '')
      if (key.startsWith(PROBES) && age_ms > LEFTOVER_MS) await this.#removed(key)
    }
  }

  #newKey(): string {
    return `${this.#prefix}${crypto.randomUUID()}`
  }

  /** Deletes an object or aborts an upload. Returns whether it is gone. */
  async #removed(key: string, query = ''): Promise<boolean> {
    try {
      const { status } = await patiently(() => this.#authorized('DELETE', key, query, undefined, null))
      return status < 300 || status === 404
    } catch (error) {
      if (error instanceof NoAnswer) return false
      throw error
    }
  }

  #patiently<T>(send: () => Promise<T>): Promise<T> {
    return patiently(send, this.#signal)
  }

  /** Sends a request with an Authorization header, for operations that the service makes through its R2 binding. */
  async #authorized(
    method: string,
    key: string,
    query: string,
    body?: string,
    signal: AbortSignal | null = this.#signal,
  ): Promise<Answer> {
    const { S3_ENDPOINT, S3_BUCKET } = this.#access
    const url = `${S3_ENDPOINT.replace(/\/$/, '')}/${S3_BUCKET}${key && `/${key}`}${query}`
    const request = await this.#client.sign(url, { method, ...(body !== undefined && { body }) })
    return this.#send(request.url, method, Object.fromEntries(request.headers), body, signal)
  }

  async #send(
    url: string,
    method: string,
    headers: Record<string, string> = {},
    body?: string,
    signal: AbortSignal | null = this.#signal,
  ): Promise<Answer> {
    const limits = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]
    const { response, text } = await answered(
      new URL(url).host,
      async () => {
        const response = await fetch(url, {
          method,
          headers,
          redirect: 'error',
          signal: AbortSignal.any(limits),
          ...(body !== undefined && { body }),
        })
        return { response, text: await response.text() }
      },
      signal,
    )
    const { status } = response
    const answer = {
      status,
      code: status < 300 ? undefined : xmlValue(text, 'Code'),
      message: status < 300 ? undefined : xmlValue(text, 'Message'),
      etag: xmlValue(text, 'ETag') ?? response.headers.get('ETag') ?? undefined,
      text,
      ahead_ms: Date.parse(response.headers.get('Date') ?? '') - Date.now() || 0,
    }
    if (status === 429 || (status >= 500 && status !== 501))
      throw new NoAnswer(`R2 answered ${summaryOf(answer)}`)
    return answer
  }
}

/** An answer in a few words: status, code and message. */
export function summaryOf({ status, code, message }: Answer): string {
  return [status, code, message && `(${message})`].filter(Boolean).join(' ')
}

const uploadQuery = (id: string) => `?uploadId=${encodeURIComponent(id)}`

const now = () => Math.floor(Date.now() / 1_000)

/** @throws NoAnswer when the request fails */
async function answered<T>(host: string, send: () => Promise<T>, signal: AbortSignal | null): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const reason = error instanceof Error ? (error.cause ?? error) : error
    throw new NoAnswer(`${host} does not answer: ${reason instanceof Error ? reason.message : reason}`)
  }
}

/** Repeats a request a few times while R2 gives no answer. */
async function patiently<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      signal?.throwIfAborted()
      return await send()
    } catch (error) {
      if (!(error instanceof NoAnswer) || attempt === ATTEMPTS) throw error
      await new Promise((later) => setTimeout(later, PAUSE_MS * 2 ** (attempt - 1)))
    }
}

/** The text of the first XML element of this name. */
function xmlValue(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? []
  return text
    ?.replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
