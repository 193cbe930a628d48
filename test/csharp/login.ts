import { once } from 'node:events'
import { createServer } from 'node:http'

/** A login that answers each path with a token. */
export async function openLogin(
  tokenOf: (path: string) => Promise<string>,
): Promise<{ url: string; close: () => void }> {
  const listening = createServer(async ({ url = '' }, response) => {
    response.end(await tokenOf(url))
  }).listen(0, 'localhost')
  await once(listening, 'listening')
  const address = listening.address()
  if (typeof address !== 'object' || !address) throw new Error('The login has no port.')
  return { url: `http://localhost:${address.port}`, close: () => listening.close() }
}
