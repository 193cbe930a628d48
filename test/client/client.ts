import { env } from 'cloudflare:test'
import { type Client, type ClientOptions, createClient } from '#client'
import type { Studio } from '#client/studio'
import { callOf } from '../../scripts/describe/client/names.ts'
import { tokenFor } from '../support/identities.ts'
import { newNamedId } from '../support/ids.ts'
import { type Fetch, origin, service } from '../support/service.ts'

/** Sends a request to the service, or a request with a signed URL to storage. */
export const network =
  (reach: Fetch = service): Fetch =>
  (request) =>
    new URL(request.url).pathname.startsWith('/v1/') ? reach(request) : env.S3.fetch(request)

/** Retry options without delays. */
export const atOnce = { minDelayMs: 0, maxDelayMs: 0 }

/** A client of a new user. */
export async function newClient(fetch: Fetch = network(), options: Partial<ClientOptions> = {}) {
  const token = await tokenFor(newNamedId('user'))
  return createClient({ baseUrl: origin, token, fetch, retry: atOnce, ...options })
}

/** The method of a client that sends an operation, which takes anything here. */
export function methodOf(operationId: string, client: Client, studio: Studio) {
  const named = operationId === 'openSocket' ? { isStudio: false, call: 'inbox.open' } : callOf(operationId)
  if (!named) throw new Error(`${operationId} has no name in the client.`)
  const [noun = '', method = ''] = named.call.split('.')
  const owner: unknown = Reflect.get(named.isStudio ? studio : client, noun)
  const found: unknown = Reflect.get(Object(owner), method)
  if (typeof found !== 'function') throw new Error(`${named.call} is no method.`)
  return (given: object): unknown => Reflect.apply(found, owner, [given])
}

/** A network that records each request and passes it to `act`. */
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

/** A network that serves all requests and loses the answers to the first `count` of those that `isMeant` selects. */
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
