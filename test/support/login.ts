import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import type { TestProject } from 'vitest/node'
import receivers from './receiver-server.ts'

/**
 * A studio's login as this service sees it: key pairs, and their public keys at a JWKS URL. Each test has its own set at
 * `/sets/NAME`, which counts its requests. `PUT` switches a set "up", with keys of some algorithms, or "down". The server also
 * has the receivers of webhooks.
 */
export default async function login(project: TestProject): Promise<() => void> {
  const algorithms = ['RS256', 'ES256', 'EdDSA'] as const
  const pairs = await Promise.all(
    algorithms.map(async (alg) => ({ alg, ...(await generateKeyPair(alg, { extractable: true })) })),
  )
  const jwks = await Promise.all(
    pairs.map(async ({ alg, publicKey }) => ({ ...(await exportJWK(publicKey)), alg, kid: alg, use: 'sig' })),
  )
  const sets = new Map<string, { does: string; fetched: number }>()
  const server = createServer(async (request, response) => {
    const url = request.url ?? ''
    if (url.startsWith('/sets/')) {
      const set = sets.get(url) ?? { does: 'up RS256 ES256 EdDSA', fetched: 0 }
      sets.set(url, set)
      if (request.method === 'PUT') set.does = await text(request)
      if (request.method === 'GET') set.fetched += 1
      response.statusCode = request.method !== 'GET' || set.does.startsWith('up') ? 200 : 500
      const keys = jwks.filter(({ kid }) => set.does.includes(kid))
      response.end(request.method === 'GET' ? JSON.stringify({ keys }) : String(set.fetched))
      return
    }
    response.statusCode = request.url === '/jwks' ? 200 : 500
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ keys: jwks }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const keys = await Promise.all(
    pairs.map(async ({ alg, publicKey, privateKey }) => {
      return { alg, public_key: await exportSPKI(publicKey), private_key: await exportPKCS8(privateKey) }
    }),
  )
  project.provide('login', { url: `http://127.0.0.1:${port}/jwks`, keys })
  const closeReceivers = await receivers(project)
  return () => {
    server.close()
    closeReceivers()
  }
}
