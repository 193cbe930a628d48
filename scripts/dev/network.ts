/**
 * The development server for other machines of the network. wrangler's server gives the local bucket only to requests by
 * the name localhost. This one, in front of it, takes requests by any private name, and gives those for the bucket on under
 * that name. URLs are signed for it, and `src/local.ts` has them lead to the host that was asked.
 */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { isPrivateHost } from '../../src/development.ts'

const BUCKET = '/cdn-cgi/local/r2/s3'
/** What else wrangler has below /cdn-cgi is for this machine only. */
const OTHER = '/cdn-cgi/'

/** The value of S3_ENDPOINT with which URLs are signed for the bucket behind this server. */
export function bucketAddress(port: number): string {
  return `http://localhost:${port}${BUCKET}`
}

/** Serves on a port of `ip` what wrangler serves on the port `inner` of this machine. */
export async function serveNetwork(ip: string, port: number, inner: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((asked, answer) => {
    if (!isAllowed(asked)) {
      refuse(answer)
      return
    }
    const headers = headersFor(asked, port)
    const { method, url: path } = asked
    const forwarded = request(
      { agent, host: 'localhost', port: inner, method, path, headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.rawHeaders)
        response.pipe(answer)
      },
    )
    forwarded.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
    answer.on('close', () => forwarded.destroy())
    asked.pipe(forwarded)
  })
  server.on('upgrade', (asked: IncomingMessage, near: Socket, head: Buffer) => {
    if (!isAllowed(asked)) {
      near.destroy()
      return
    }
    const far = connect(inner, 'localhost', () => {
      const lines = [`${asked.method} ${asked.url} HTTP/1.1`]
      for (let i = 0; i < asked.rawHeaders.length; i += 2)
        lines.push(`${asked.rawHeaders[i]}: ${asked.rawHeaders[i + 1]}`)
      far.write(`${lines.join('\r\n')}\r\n\r\n`)
      far.write(head)
      far.pipe(near).pipe(far)
    })
    far.on('error', () => near.destroy())
    near.on('error', () => far.destroy())
  })
  server.listen(port, ip)
  await once(server, 'listening')
}

/** Whether a request is for everybody in the network, or comes from this machine. */
function isAllowed({ url = '', headers, socket }: IncomingMessage): boolean {
  if (!url.startsWith(OTHER)) return true
  if (!url.startsWith(`${BUCKET}/`)) return isLoopback(socket.remoteAddress)
  const asked = `http://${headers.host}`
  return URL.canParse(asked) && isPrivateHost(new URL(asked).hostname)
}

function isLoopback(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

/** The headers to give on: those for the bucket name the host that URLs are signed for. */
function headersFor({ url = '', headers }: IncomingMessage, port: number): IncomingMessage['headers'] {
  if (!url.startsWith(`${BUCKET}/`)) return headers
  const local = `localhost:${port}`
  return { ...headers, host: local, ...(headers.origin && { origin: `http://${local}` }) }
}

function refuse(answer: ServerResponse): void {
  answer.writeHead(403, { 'Content-Type': 'text/plain' }).end('This is for this machine only.\n')
}
