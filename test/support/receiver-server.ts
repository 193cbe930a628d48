import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import type { Arrival, Behaviour } from './receiver.ts'

/**
 * Receivers of webhooks for tests in the Workers runtime, one at each path: POST is a webhook, PUT sets the answer to later
 * webhooks, and GET returns the received ones.
 */
export default async function receivers(project: TestProject): Promise<() => void> {
  const known = new Map<string, { behaviour: Behaviour; arrivals: Arrival[] }>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const receiver = known.get(path) ?? { behaviour: {}, arrivals: [] }
    known.set(path, receiver)
    const body = await text(request)
    if (request.method === 'PUT') {
      receiver.behaviour = JSON.parse(body)
      response.end()
    } else if (request.method === 'GET') {
      response.end(JSON.stringify(receiver.arrivals))
    } else {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
      receiver.arrivals.push({ headers: Object.fromEntries(headers), body })
      const { does = 'answer', status = 204, about = '', ...answer } = receiver.behaviour
      if (!body.includes(about)) response.writeHead(204).end()
      else if (does === 'answer') response.writeHead(status, answer.headers).end()
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  project.provide('receiver', { url: `http://127.0.0.1:${port}` })
  return () => {
    server.closeAllConnections()
    server.close()
  }
}
