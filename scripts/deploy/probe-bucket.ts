/** The bucket as the probe of a deployment uses it: through R2's S3 address, with the URLs that the service signs. */
import { PROBES } from '../../src/platform/config/copy-guards.ts'
import { createSigner, type S3Access, s3Client } from '../../src/platform/storage/presign.ts'

/** How long the URLs of the probe are good, in seconds. */
const TTL = 300
/** How long an answer may take, and how often a request is sent that R2 does not answer. */
const TIMEOUT_MS = 10_000
const ATTEMPTS = 4
/** The pause before the second attempt; each further one is twice as long. R2 takes one write a second for each key. */
const PAUSE_MS = 250
/** What a probe left behind that was cut off is removed by a later one, unless it may still be running. */
const LEFTOVER_MS = 3_600_000

/** What R2 answered. */
export interface Answer {
  status: number
  /** The name of the error (https://developers.cloudflare.com/r2/api/error-codes/); undefined when there is none. */
  code: string | undefined
  message: string | undefined
  /** The entity tag of what was stored. */
  etag: string | undefined
  text: string
  /** How far R2's clock is ahead of that of this machine. */
  ahead_ms: number
}

/** R2 gave no answer that says anything: it could not be reached, or is overloaded. */
export class Unanswered extends Error {}

/** An upload in parts that is open. */
export interface OpenUpload {
  key: string
  id: string
}

/** A PUT: what it is signed with, what is sent beside that, and its body. */
export interface Put {
  signed: Record<string, string>
  unsigned?: Record<string, string>
  body: string
}

export class ProbeBucket {
  readonly #access: S3Access
  readonly #signer: ReturnType<typeof createSigner>
  readonly #signal: AbortSignal
  readonly #prefix = `${PROBES}${crypto.randomUUID()}/`
  readonly #keys = new Set<string>()
  readonly #uploads = new Map<string, OpenUpload>()

  /** `signal` ends the probe. What it has made is removed all the same (`clean`). */
  constructor(access: S3Access, signal: AbortSignal) {
    this.#access = access
    this.#signer = createSigner(access)
    this.#signal = signal
  }

  /** How a copy names an object, with R2's spelling and with S3's other one. */
  sourcesOf(key: string): string[] {
    const source = `${this.#access.S3_BUCKET}/${key}`
    return [source, `/${source}`]
  }

  /** Sends a PUT to the URL of a new object. Returns its key and the answer. */
  put({ signed, unsigned, body }: Put): Promise<{ key: string; answer: Answer }> {
    return this.#patiently(async () => {
      const key = this.#newKey()
      this.#keys.add(key)
      const { url } = await this.#signer.upload(key, signed, now(), TTL)
      return { key, answer: await this.#send(url, 'PUT', { ...signed, ...unsigned }, body) }
    })
  }

  /** Sends a PUT to the URL of a part. */
  part({ key, id }: OpenUpload, part_number: number, { signed, unsigned, body }: Put): Promise<Answer> {
    return this.#patiently(async () => {
      const { url } = await this.#signer.part(key, id, part_number, signed, now(), TTL)
      return this.#send(url, 'PUT', { ...signed, ...unsigned }, body)
    })
  }

  /** The content of an object; undefined when there is none. */
  async read(key: string): Promise<{ answer: Answer; content: string | undefined }> {
    const answer = await this.#patiently(async () => {
      const { url } = await this.#signer.download(key, 'attachment', now(), TTL)
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

  /** Removes what the probe has made: objects and uploads. Returns the keys of what is still there. */
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

  /** Removes the objects of probes that were cut off. R2 ends their uploads, by the rule that the command gives the bucket. */
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

  /** Whether it is gone. */
  async #removed(key: string, query = ''): Promise<boolean> {
    try {
      const { status } = await patiently(() => this.#authorized('DELETE', key, query, undefined, null))
      return status < 300 || status === 404
    } catch (error) {
      if (error instanceof Unanswered) return false
      throw error
    }
  }

  #patiently<T>(send: () => Promise<T>): Promise<T> {
    return patiently(send, this.#signal)
  }

  /** Sends a request that is signed in its headers, for what the service does through its binding. */
  async #authorized(
    method: string,
    key: string,
    query: string,
    body?: string,
    signal: AbortSignal | null = this.#signal,
  ): Promise<Answer> {
    const { S3_ENDPOINT, S3_BUCKET } = this.#access
    const url = `${S3_ENDPOINT.replace(/\/$/, '')}/${S3_BUCKET}${key && `/${key}`}${query}`
    const request = await s3Client(this.#access).sign(url, { method, ...(body !== undefined && { body }) })
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
      throw new Unanswered(`R2 answered ${said(answer)}`)
    return answer
  }
}

/** What R2 answered, in a few words. */
export function said({ status, code, message }: Answer): string {
  return [status, code, message && `(${message})`].filter(Boolean).join(' ')
}

const uploadQuery = (id: string) => `?uploadId=${encodeURIComponent(id)}`

const now = () => Math.floor(Date.now() / 1_000)

/** @throws Unanswered when the request fails */
async function answered<T>(host: string, send: () => Promise<T>, signal: AbortSignal | null): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const reason = error instanceof Error ? (error.cause ?? error) : error
    throw new Unanswered(`${host} does not answer: ${reason instanceof Error ? reason.message : reason}`)
  }
}

/** Sends again what R2 has not answered, a few times. */
async function patiently<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      signal?.throwIfAborted()
      return await send()
    } catch (error) {
      if (!(error instanceof Unanswered) || attempt === ATTEMPTS) throw error
      await new Promise((later) => setTimeout(later, PAUSE_MS * 2 ** (attempt - 1)))
    }
}

/** The text of an element of an answer. */
function xmlValue(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? []
  return text
    ?.replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
