/** Content on its way to a signed URL and back. */
import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { bytes, printFact, printRequest, problemIn, Refused } from './demo-client.ts'
import type { Content } from './demo-content.ts'
import { withProgress } from './demo-progress.ts'

/** Where and how content is to be sent. */
interface Destination {
  url: string
  headers: Record<string, string>
}

/** Sends content to a signed URL. @throws Refused */
export async function sendContent(to: Destination, content: Content): Promise<void> {
  const response = await withProgress('sent', content.size_bytes, (counter) =>
    put(to, content.read(), counter()),
  )
  await refuseUnlessOk('PUT', to.url, response)
  printRequest('PUT', to.url, String(response.statusCode))
  response.resume()
}

/**
 * Sends a stream with exactly the headers that were signed. Not with fetch: it streams without a Content-Length, and
 * the URL takes nothing but the declared one.
 */
export async function put(
  { url, headers }: Destination,
  body: Readable,
  counted: Transform,
): Promise<IncomingMessage> {
  const request = requestOf(url)(url, { method: 'PUT', headers })
  const answered = answerTo(request)
  const sent = pipeline(body, counted, request)
  // A storage that refuses may answer and hang up before all is sent; then the answer is what matters.
  const [response] = await Promise.all([answered, sent.catch(() => answered)])
  return response
}

/** Begins to send, and breaks off after the given bytes, as a device does that goes out of reach. */
export async function breakOff({ url, headers }: Destination, body: Readable, counted: Transform) {
  const request = requestOf(url)(url, { method: 'PUT', headers })
  const lost = answerTo(request).catch(() => undefined)
  await pipeline(body, counted, request, { end: false })
  request.destroy()
  await lost
}

/** What has been received from a signed URL. */
export interface Received {
  headers: IncomingMessage['headers']
  size_bytes: number
  sha256: Buffer
}

/** Fetches from a signed URL and hashes on the way, so that nothing has to fit into memory. @throws Refused */
export async function receiveContent(url: string, headers: Record<string, string> = {}): Promise<Received> {
  const request = requestOf(url)(url, { headers })
  request.end()
  const response = await answerTo(request)
  await refuseUnlessOk('GET', url, response)
  printRequest('GET', url, String(response.statusCode))
  const hash = createHash('sha256')
  let size_bytes = 0
  const total = Number(response.headers['content-length'] ?? 0)
  await withProgress('received', total, (counter) =>
    pipeline(response, counter(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size_bytes += chunk.length
      }
    }),
  )
  return { headers: response.headers, size_bytes, sha256: hash.digest() }
}

/** Compares what came back with what was sent. Equal lengths and SHA-256 are equal bytes. */
export function expectSame(what: string, received: Received, size_bytes: number, digest: Buffer): void {
  printFact('SHA-256', received.sha256.toString('hex'))
  if (received.size_bytes !== size_bytes || !received.sha256.equals(digest))
    throw new Error(
      `${what} differs from what was sent: ${bytes(size_bytes)} with SHA-256 ${digest.toString('hex')}.`,
    )
  printFact('compared', `the same ${bytes(size_bytes)} that were sent`)
}

function requestOf(url: string) {
  return url.startsWith('https:') ? httpsRequest : httpRequest
}

function answerTo(request: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
  })
}

/** @throws Refused, and prints how, when the answer is not one of success */
export async function refuseUnlessOk(method: string, url: string, response: IncomingMessage): Promise<void> {
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300) return
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += chunk
  const refused = new Refused(`${method} ${url.replace(/\?.*/, '')}`, status, problemIn(text))
  printRequest(method, url, `${status} ${refused.code}`)
  throw refused
}
