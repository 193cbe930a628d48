import { env } from 'cloudflare:test'
import { type ClientOptions, createClient } from '#client'
import { newNamedId } from './ids.ts'
import { type Fetch, origin, service } from './service.ts'
import { tokenFor } from './user.ts'

/** Takes a request to the service, or a signed one to storage. */
export const network =
  (reach: Fetch = service): Fetch =>
  (request) =>
    new URL(request.url).pathname.startsWith('/v1/') ? reach(request) : env.S3.fetch(request)

/** Retries that do not wait. */
export const atOnce = { minDelayMs: 0, maxDelayMs: 0 }

/** A client of a user that nobody has seen before. */
export async function newClient(fetch: Fetch = network(), options: Partial<ClientOptions> = {}) {
  const token = await tokenFor(newNamedId('user'))
  return createClient({ baseUrl: origin, token, fetch, retry: atOnce, ...options })
}

/** A network that notes each request, and may do with it what `act` says. */
export function noting(
  act: (request: Request, next: Fetch) => Promise<Response> = (request, next) => next(request),
) {
  const requests: Request[] = []
  const fetch: Fetch = (request) => {
    requests.push(request.clone())
    return act(request, network())
  }
  return { requests, fetch }
}

/** Has requests served, and loses the answers to the first `count` of them. */
export function losing(count: number, isMeant: (request: Request) => boolean = () => true) {
  let left = count
  return noting(async (request, next) => {
    const isLost = isMeant(request) && left-- > 0
    const response = await next(request)
    if (!isLost) return response
    await response.body?.cancel()
    throw new TypeError('The connection was cut.')
  })
}
