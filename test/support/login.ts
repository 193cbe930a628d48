import { createServer } from 'node:http'
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import type { TestProject } from 'vitest/node'

/** A studio's login, as far as this service sees it: key pairs, and their public halves at a JWKS address. */
export default async function login(project: TestProject): Promise<() => void> {
  const algorithms = ['RS256', 'ES256', 'EdDSA'] as const
  const pairs = await Promise.all(
    algorithms.map(async (alg) => ({ alg, ...(await generateKeyPair(alg, { extractable: true })) })),
  )
  const jwks = await Promise.all(
    pairs.map(async ({ alg, publicKey }) => ({ ...(await exportJWK(publicKey)), alg, kid: alg, use: 'sig' })),
  )
  const server = createServer((request, response) => {
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
  return () => server.close()
}
