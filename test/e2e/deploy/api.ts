/** Stands in for Cloudflare's API, in the form that its reference documents, for what `npm run deploy` reads of it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ACCOUNT, type Account, API_TOKEN } from './stand-in.ts'

/** The path that the API has on the server of the tests. */
export const API = '/client/v4'

/** How many things the API lists on a page here: few, so that a list has several pages. */
const PAGE = 2

/** Answers a request for the API. */
export function answerForApi(account: Account, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const isKnown = request.headers.authorization === `Bearer ${API_TOKEN}`
  const [status, answer] = isKnown
    ? answerTo(account, pathname.slice(API.length), searchParams)
    : refusal(401, 9109, 'Invalid access token')
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
}

function answerTo(account: Account, path: string, query: URLSearchParams): [status: number, body: object] {
  const name = query.get('name')
  const [, zone, kind] = /^\/zones\/(\w+)\/(dns_records|workers\/routes)$/.exec(path) ?? []
  if (path === '/zones')
    return page(
      account.zones.filter((one) => one.name === name),
      query,
    )
  if (path === `/accounts/${ACCOUNT}/workers/domains`) return page(account.domains, query)
  if (zone === undefined) return refusal(404, 7003, `Could not route to ${path}`)
  if (kind === 'workers/routes')
    return page(
      account.routes.filter((route) => route.zone === zone),
      query,
    )
  if (!account.mayReadRecords) return refusal(403, 10000, 'Authentication error')
  return page(
    account.records.filter((record) => record.zone === zone && record.name === name),
    query,
  )
}

function page(all: object[], query: URLSearchParams): [number, object] {
  const number = Number(query.get('page') ?? 1)
  const result = all.slice((number - 1) * PAGE, number * PAGE)
  const result_info = { page: number, per_page: PAGE, total_pages: Math.ceil(all.length / PAGE) }
  return [200, { success: true, errors: [], messages: [], result, result_info }]
}

function refusal(status: number, code: number, message: string): [number, object] {
  return [status, { success: false, errors: [{ code, message }], messages: [], result: null }]
}
