/** Transfers of content to and from signed URLs. */
import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { bytes, printFact, printRequest, problemIn, RequestError } from './client.ts'
import type { Content } from './content.ts'
import { withProgress } from './progress.ts'

/** A signed URL, with the headers to send. */
interface Destination {
  url: string
  headers: Record<string, string>
}

/** Sends content to a signed URL. @throws RequestError */
export async function sendContent(to: Destination, content: Content): Promise<void> {
  const response = await withProgress('sent', content.size_bytes, (counter) =>
    put(to, content.read(), counter()),
  )
  await requireOk('PUT', to.url, response)
  printRequest('PUT', to.url, String(response.statusCode))
  response.resume()
}

/**
 * Sends a stream with exactly the signed headers. fetch streams without a Content-Length, which the URL requires.
 */
export async function put(
  { url, headers }: Destination,
  body: Readable,
  counted: Transform,
): Promise<IncomingMessage> {
  const request = requestOf(url)(url, { method: 'PUT', headers })
  const answered = answerTo(request)
  const sent = pipeline(body, counted, request)
  // The storage may answer with an error and close before all is sent. Then the answer counts.
  const [response] = await Promise.all([answered, sent.catch(() => answered)])
  return response
}

/** Sends the given bytes only, then aborts, as a device does that loses its connection. */
export async function breakOff({ url, headers }: Destination, body: Readable, counted: Transform) {
  const request = requestOf(url)(url, { method: 'PUT', headers })
  const lost = answerTo(request).catch(() => undefined)
  await pipeline(body, counted, request, { end: false })
  request.destroy()
  await lost
}

/** The result of a download. */
export interface Received {
  headers: IncomingMessage['headers']
  size_bytes: number
  sha256: Buffer
}

/** Downloads from a signed URL and hashes the stream, so that nothing has to fit into memory. @throws RequestError */
export async function receiveContent(url: string, headers: Record<string, string> = {}): Promise<Received> {
  const request = requestOf(url)(url, { headers })
  request.end()
  const response = await answerTo(request)
  await requireOk('GET', url, response)
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

/** Compares downloaded with uploaded content, by length and SHA-256. */
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

/** @throws RequestError, after printing it, when the answer is no success */
export async function requireOk(method: string, url: string, response: IncomingMessage): Promise<void> {
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300) return
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += chunk
  const error = new RequestError(`${method} ${url.replace(/\?.*/, '')}`, status, problemIn(text))
  printRequest(method, url, `${status} ${error.code}`)
  throw error
}
