/**
 * Stands in for R2's S3 address in the tests of the probe: miniflare's, which checks signatures and keeps objects, behind a
 * server that answers in its place where real R2 may answer otherwise.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { AwsClient } from 'aws4fetch'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

export const BUCKET = 'edge-game-storage'
export const KEYS = { S3_ACCESS_KEY_ID: 'an-id', S3_SECRET_ACCESS_KEY: 'a-key' }

/** A request as rules see it. */
export interface Seen {
  method: string
  url: URL
  headers: Headers
  isPart: boolean
  isCopy: boolean
  /** The names of the headers that are signed. */
  signed: string[]
}

/** An answer in place of the simulator's, as R2 gives it: an error, or another text. */
export interface Given {
  status: number
  code?: string
  message?: string
  text?: string
  date?: string
}

/** What R2 does otherwise: answers by itself, takes no notice of a header, or gives no answer at all. */
export type Rule = (seen: Seen) => Given | { ignores: string } | 'nothing' | undefined

/** R2 reads the first part of a copy's source as the name of the bucket, also when it is empty (nikeee/lean-s3#113). */
const refusesSlash: Rule = ({ headers }) =>
  headers.get('x-amz-copy-source')?.startsWith('/')
    ? { status: 400, code: 'InvalidArgument', message: 'copy source bucket name' }
    : undefined

/** R2's answer to a header that it does not implement. */
export const notImplemented = (header: string): Given => ({
  status: 501,
  code: 'NotImplemented',
  message: `Header '${header}' not implemented`,
})

export class R2 {
  readonly address: string
  /** The first that has something to say is followed. */
  rules: Rule[] = []
  /** The requests since the last `forget`. */
  requests: (Seen & { status: number })[] = []
  /** The uploads in parts that are open. */
  readonly uploads = new Set<string>()
  readonly #miniflare: Miniflare
  readonly #server: Server

  private constructor(miniflare: Miniflare, server: Server, port: number) {
    this.#miniflare = miniflare
    this.#server = server
    this.address = `http://localhost:${port}`
  }

  static async start(): Promise<R2> {
    const server = createServer().listen(0, 'localhost')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('R2 does not listen.')
    const r2 = new R2(simulator(), server, address.port)
    server.on('request', (request, response) =>
      r2.#answer(request).then(
        (answer) => {
          if (answer === 'nothing') return response.destroy()
          return response.writeHead(answer.status, answer.headers).end(answer.body)
        },
        (error: Error) => response.writeHead(500).end(`The stand-in failed: ${error.stack}`),
      ),
    )
    return r2
  }

  /** The keys of all objects. */
  async objects(): Promise<string[]> {
    return (await (await this.#bucket()).list()).objects.map(({ key }) => key)
  }

  async put(key: string): Promise<void> {
    await (await this.#bucket()).put(key, 'content')
  }

  async remove(key: string): Promise<void> {
    await (await this.#bucket()).delete(key)
  }

  #bucket() {
    return this.#miniflare.getR2Bucket(`MINIFLARE_R2_S3_BUCKET_${BUCKET}`, 's3')
  }

  /** Answers like R2 again, and knows of no requests. What is stored stays. */
  forget(): void {
    this.rules = []
    this.requests = []
    this.uploads.clear()
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await this.#miniflare.dispose()
  }

  async #answer(incoming: IncomingMessage) {
    const { seen, body } = await read(incoming)
    const found = [...this.rules, refusesSlash].map((rule) => rule(seen)).find((one) => one !== undefined)
    if (found === 'nothing') return found
    const answer =
      found && 'status' in found ? given(found) : await this.#simulated(seen, body, found?.ignores)
    this.requests.push({ ...seen, status: answer.status })
    this.#follow(seen, answer)
    return answer
  }

  async #simulated({ method, url, headers }: Seen, body: Buffer, ignored: string | undefined) {
    const sent =
      ignored && headers.has(ignored) ? await signedWithout(ignored, method, url, headers) : undefined
    const answer = await this.#miniflare.dispatchFetch(sent?.url ?? url.href, {
      method,
      headers: Object.fromEntries(sent?.headers ?? headers),
      ...(method !== 'GET' && method !== 'HEAD' && { body }),
    })
    const { etag = '' } = Object.fromEntries(answer.headers)
    return {
      status: answer.status,
      headers: { ...(etag && { etag }), date: new Date().toUTCString() },
      body: await answer.text(),
    }
  }

  /** Keeps count of the uploads that are open, which the simulator does not list. */
  #follow({ method, url }: Seen, { status, body }: { status: number; body: string }): void {
    const [, started] = /<UploadId>([^<]+)</.exec(body) ?? []
    if (method === 'POST' && url.searchParams.has('uploads') && started) this.uploads.add(started)
    const ended = url.searchParams.get('uploadId')
    if (ended && status < 300 && (method === 'POST' || method === 'DELETE')) this.uploads.delete(ended)
  }
}

function simulator(): Miniflare {
  const path = new URL('workers/r2/s3/index.worker.js', import.meta.resolve('miniflare'))
  // In `wrangler dev` the bucket lies below this path; and the host that was signed is that of the URL, not miniflare's own.
  const script = readFileSync(path, 'utf8')
    .replace('R2_S3: "/cdn-cgi/local/r2/s3"', 'R2_S3: "/"')
    .replace(
      'request.headers.get(name) ?? (name === "host"',
      '(name !== "host" && request.headers.get(name)) || (name === "host"',
    )
  if (script.includes('"/cdn-cgi/local/r2/s3"') || !script.includes('name !== "host"'))
    throw new Error('miniflare’s S3 Worker has changed')
  const credentials = { accessKeyId: KEYS.S3_ACCESS_KEY_ID, secretAccessKey: KEYS.S3_SECRET_ACCESS_KEY }
  return new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: 's3',
          compatibilityDate: '2026-01-01',
          compatibilityFlags: ['nodejs_compat'],
          modules: [{ type: 'ESModule', path: 's3.js', contents: script }],
          bindings: { MINIFLARE_R2_S3_CREDENTIALS: { [BUCKET]: credentials } },
          r2Buckets: { [`MINIFLARE_R2_S3_BUCKET_${BUCKET}`]: BUCKET },
        },
      ],
    }),
  )
}

/** A request, under the address that it was sent to before `route-to-r2.ts` sent it here. */
async function read(incoming: IncomingMessage): Promise<{ seen: Seen; body: Buffer }> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    if (!['host', 'connection', 'x-sent-to'].includes(name)) headers.set(name, String(value))
  const origin = incoming.headers['x-sent-to'] ?? `http://${incoming.headers.host}`
  const url = new URL(incoming.url ?? '/', String(origin))
  const names = /SignedHeaders=([^,&]+)/.exec(headers.get('authorization') ?? '')?.[1]
  const seen = {
    method: incoming.method ?? '',
    url,
    headers,
    isPart: url.searchParams.has('partNumber'),
    isCopy: headers.has('x-amz-copy-source'),
    signed: (url.searchParams.get('X-Amz-SignedHeaders') ?? names ?? '').split(';'),
  }
  return { seen, body: await buffer(incoming) }
}

function given({ status, code, message, text, date }: Given) {
  const error = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return { status, headers: { date: date ?? new Date().toUTCString() }, body: text ?? error }
}

/** The same request without a header, signed anew. */
function signedWithout(header: string, method: string, url: URL, headers: Headers): Promise<Request> {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = KEYS
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'auto' })
  const bare = new URL(url)
  for (const name of [...bare.searchParams.keys()])
    if (name.startsWith('X-Amz-')) bare.searchParams.delete(name)
  const kept = [...headers].filter(
    ([name]) => name !== header && /^(x-amz|if|content-type|content-d)/.test(name),
  )
  return client.sign(bare, { method, headers: Object.fromEntries(kept) })
}
