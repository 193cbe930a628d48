import { expectDescribed } from './description.ts'
import { service } from './service.ts'

/** What somebody without a token gets from the URL of a picture. */
export interface Shown {
  status: number
  headers: Headers
  bytes: Uint8Array
}

/** Requests a picture as a page does: without a token. Fails unless the answer matches the description. */
export async function show(
  url: string | null,
  { method = 'GET', ...headers }: Record<string, string> = {},
  reach = service,
): Promise<Shown> {
  if (url === null) throw new Error('there is no picture')
  const request = new Request(url, { method, headers })
  const response = await reach(request)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (method === 'GET') await expectDescribed(request, response, new TextDecoder().decode(bytes))
  return { status: response.status, headers: response.headers, bytes }
}
