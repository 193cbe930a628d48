/** Content on its way to a signed URL and back. */
import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Presets, SingleBar } from 'cli-progress'
import { bytes, printFact, printRequest, problemIn, Refused } from './demo-client.ts'
import type { Content } from './demo-content.ts'

/**
 * Sends content to a signed URL with exactly the headers that were signed. Not with fetch: it streams without a
 * Content-Length, and the URL takes nothing but the declared one.
 */
export async function sendContent(
  url: string,
  headers: Record<string, string>,
  content: Content,
): Promise<void> {
  const request = requestOf(url)(url, { method: 'PUT', headers })
  const answered = answerTo(request)
  const sent = withProgress('sent', content.size_bytes, (count) => pipeline(content.read(), count, request))
  // A storage that refuses may answer and hang up before all is sent; then the answer is what matters.
  const [response] = await Promise.all([answered, sent.catch(() => answered)])
  await refuseUnlessOk('PUT', url, response)
  response.resume()
}

/** What has been received from a signed URL. */
export interface Received {
  headers: IncomingMessage['headers']
  size_bytes: number
  sha256: Buffer
}

/** Fetches from a signed URL and hashes on the way, so that nothing has to fit into memory. */
export async function receiveContent(url: string, headers: Record<string, string> = {}): Promise<Received> {
  const request = requestOf(url)(url, { headers })
  request.end()
  const response = await answerTo(request)
  await refuseUnlessOk('GET', url, response)
  const hash = createHash('sha256')
  let size_bytes = 0
  const total = Number(response.headers['content-length'] ?? 0)
  await withProgress('received', total, (count) =>
    pipeline(response, count, async (chunks: AsyncIterable<Buffer>) => {
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

async function refuseUnlessOk(method: string, url: string, response: IncomingMessage): Promise<void> {
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300) return printRequest(method, url, String(status))
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += chunk
  const refused = new Refused(`${method} ${url.replace(/\?.*/, '')}`, status, problemIn(text))
  printRequest(method, url, `${status} ${refused.code}`)
  throw refused
}

/** Shows a bar on a terminal while bytes pass, and one line at the end anywhere. */
async function withProgress(
  verb: string,
  total: number,
  pass: (count: Transform) => Promise<void>,
): Promise<void> {
  const bar = new SingleBar(
    {
      stream: process.stdout,
      format: '    {bar} {percentage}% of {total} bytes',
      formatValue: (value, _options, type) => (type === 'total' ? value.toLocaleString('en') : String(value)),
      gracefulExit: true,
    },
    Presets.shades_classic,
  )
  const begun = performance.now()
  let passed = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length
      bar.update(passed)
      done(null, chunk)
    },
  })
  bar.start(total, 0)
  try {
    await pass(count)
  } finally {
    bar.stop()
    printFact(verb, `${bytes(passed)} in ${Math.round(performance.now() - begun)} ms`)
  }
}
