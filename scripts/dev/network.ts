/**
 * A proxy in front of wrangler's server, for other machines of the network. wrangler serves the local bucket only to requests
 * whose Host is localhost, so the proxy forwards requests for the bucket with that Host. URLs are signed for localhost too, and
 * `src/local/worker.ts` replaces their host by the one of the request. `admission.ts` decides which requests are forwarded.
 */
import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { type Admitted, admission, BUCKET, type Refused } from './admission.ts'

/** The value of S3_ENDPOINT that signs URLs for the bucket behind this proxy. */
export function bucketAddress(port: number): string {
  return `http://localhost:${port}${BUCKET}`
}

/** Listens on `port` of `ip`, and forwards to wrangler's server on the port `inner` of this machine. */
export async function serveNetwork(ip: string, port: number, inner: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const optionsFor = (asked: IncomingMessage, { path, isForBucket }: Admitted): RequestOptions => ({
    host: 'localhost',
    port: inner,
    method: asked.method,
    path,
    headers: isForBucket ? headersForBucket(asked.headers, port) : asked.headers,
  })

  const server = createServer((asked, answer) => {
    const admitted = admissionOf(asked)
    if ('status' in admitted) {
      answer
        .writeHead(admitted.status, { 'Content-Type': 'text/plain', Connection: 'close' })
        .end(`${admitted.message}\n`)
      return
    }
    const forwarded = request({ agent, ...optionsFor(asked, admitted) }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(answer)
    })
    forwarded.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
    answer.on('close', () => forwarded.destroy())
    asked.pipe(forwarded)
  })

  server.on('upgrade', (asked: IncomingMessage, near: Socket, head: Buffer) => {
    near.on('error', () => near.destroy())
    near.on('finish', () => near.destroy())
    const admitted = admissionOf(asked)
    if ('status' in admitted) {
      refuse(near, admitted)
      return
    }
    if (asked.method !== 'GET' || asked.headers.upgrade?.toLowerCase() !== 'websocket') {
      refuse(near, {
        status: 400,
        message: 'Upgrade only to a WebSocket, with GET.',
      })
      return
    }
    const forwarded = request({ agent: false, ...optionsFor(asked, admitted) })
    // Pipes are connected only after a successful upgrade: otherwise wrangler would read further, unchecked requests from them.
    forwarded.on('upgrade', (response, far, farHead) => {
      near.write(headOf(response))
      near.write(farHead)
      far.write(head)
      far.on('error', () => near.destroy())
      near.on('close', () => far.destroy())
      far.pipe(near).pipe(far)
    })
    forwarded.on('response', (response) => {
      near.write(headOf(response, 'connection', 'transfer-encoding', 'keep-alive'))
      response.pipe(near)
      near.resume()
    })
    forwarded.on('error', () => near.destroy())
    near.on('close', () => forwarded.destroy())
    forwarded.end()
  })
  server.listen(port, ip)
  await once(server, 'listening')
}

function admissionOf({ method = '', url = '', rawHeaders, socket }: IncomingMessage): Admitted | Refused {
  return admission({ method, target: url, rawHeaders, address: socket.remoteAddress })
}

/** The headers to forward to the bucket, with the Host and Origin that URLs are signed for. */
function headersForBucket(headers: IncomingHttpHeaders, port: number): IncomingHttpHeaders {
  const local = `localhost:${port}`
  return { ...headers, host: local, ...(headers.origin && { origin: `http://${local}` }) }
}

function refuse(near: Socket, { status, message }: Refused): void {
  near.resume()
  near.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${message}\n`,
  )
}

/** The status line and headers of an answer. Without the named headers, the end of the connection ends the body. */
function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage, ...without: string[]): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (!without.includes(String(rawHeaders[i]).toLowerCase()))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  if (without.length > 0) lines.push('Connection: close')
  return `${lines.join('\r\n')}\r\n\r\n`
}
