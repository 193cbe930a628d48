import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** A way to the server on which everything takes so many milliseconds longer, in each direction. */
export async function delayed(origin: string, ms: number): Promise<{ origin: string; close: () => void }> {
  if (ms === 0) return { origin, close: () => {} }
  const { hostname, port } = new URL(origin)
  const proxy = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk) => setTimeout(() => to.destroyed || to.write(chunk), ms))
      from.on('close', () => setTimeout(() => to.destroy(), ms))
      from.on('error', () => {})
    }
  }).listen(0, 'localhost')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (typeof address !== 'object' || !address) throw new Error('The proxy has no port.')
  return { origin: `http://localhost:${address.port}`, close: () => proxy.close() }
}
