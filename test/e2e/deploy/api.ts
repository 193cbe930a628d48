/** Stands in for Cloudflare's API, in the form that its reference documents, for what `npm run deploy` asks of it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { ACCOUNT, type Account, API_TOKEN } from './stand-in.ts'
import { StandInD1 } from './stand-in-d1.ts'

/** The path that the API has on the server of the tests. */
export const API = '/client/v4'

/** How many things the API lists on a page here: few, so that a list has several pages. */
const PAGE = 2

/** What a request asks for. */
interface Asked {
  method: string | undefined
  path: string
  query: URLSearchParams
  body: string
}

/** The account that the API has, and the file beside which its databases are. */
export interface AccountOfApi {
  readonly account: Account
  readonly accountFile: string
  change(change: (account: Account) => Account): void
}

/** Answers a request for the API. */
export async function answerForApi(
  owner: AccountOfApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost')
  const isKnown = request.headers.authorization === `Bearer ${API_TOKEN}`
  const asked = { method: request.method, path: pathname.slice(API.length), query, body: await text(request) }
  const [status, answer] = isKnown ? answerTo(owner, asked) : refusal(401, 9109, 'Invalid access token')
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
}

function answerTo(owner: AccountOfApi, asked: Asked): [status: number, body: object] {
  const { path, query } = asked
  const { account } = owner
  const [, database, isQuery] = /^\/accounts\/a{32}\/d1\/database\/([\w-]+)(\/query)?$/.exec(path) ?? []
  if (database !== undefined && isQuery) return rowsIn(owner, database, asked)
  if (database !== undefined) return databaseIn(owner, database, asked)
  if (path === `/accounts/${ACCOUNT}/r2/buckets/${account.bucket}`)
    return one({ name: account.bucket, location: account.bucketAt })
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

/** A database, and its change. */
function databaseIn(
  { account, change }: AccountOfApi,
  id: string,
  { method, body }: Asked,
): [number, object] {
  const found = account.databases.find(({ uuid }) => uuid === id)
  if (found === undefined) return refusal(404, 7404, `The database ${id} could not be found`)
  const { replicationFails } = account
  if (replicationFails === 'broken') return refusal(500, 7500, 'internal error')
  if (method === 'GET') return one(found)
  if (replicationFails === 'forbidden') return refusal(403, 10000, 'Authentication error')
  account.calls.push({ call: `api ${method} ${found.name} ${body}`, input: '' })
  if (replicationFails === null) found.read_replication = JSON.parse(body).read_replication
  change(() => account)
  return one(found)
}

/** The rows of a query, as D1 answers them. */
function rowsIn(
  { account, accountFile, change }: AccountOfApi,
  id: string,
  { body }: Asked,
): [number, object] {
  const [fault, ...queryFaults] = account.queryFaults
  change((before) => ({ ...before, queryFaults }))
  if (fault !== undefined)
    return refusal(fault, 971, 'Please wait and consider throttling your request speed')
  const database = new StandInD1(accountFile, id)
  try {
    return one(database.query(JSON.parse(body).sql).map((results) => ({ results, success: true, meta: {} })))
  } catch (error) {
    return refusal(400, 7500, error instanceof Error ? error.message : String(error))
  } finally {
    database.close()
  }
}

function one(result: object): [number, object] {
  return [200, { success: true, errors: [], messages: [], result }]
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
