/** The demo's made-up users. */
import { type Client, createClient, type ErrorCode, ServiceError } from '#client'
import { createStudio, type Studio } from '#client/studio'
import { developmentToken } from '../development.ts'
import { printFact, printRequest } from './print.ts'

/** A user, with a client that has their token. */
export interface User {
  id: string
  client: Client
  /** The requests of services and operators, with the token. */
  studio: Studio
  /** The origin of the service. */
  origin: string
  token: string
}

/** Sends a request, like `fetch`. */
export type Fetch = (request: Request) => Promise<Response>

/** Signs in as a made-up user. `send` sends each request of the user's client. */
export async function signIn(origin: string, id: string, send: Fetch, scope?: string): Promise<User> {
  const token = await developmentToken(id, { scope })
  const options = { baseUrl: origin, token, fetch: send }
  return { id, client: createClient(options), studio: createStudio(options), origin, token }
}

/** Sends a request, and prints it, unless it sends a part of an upload. */
export async function printed(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const response = await fetch(request)
  if (url.searchParams.has('partNumber')) return response
  const target = url.pathname.startsWith('/v1/') ? url.pathname + url.search : request.url
  const code = response.ok ? '' : ` ${await codeOf(response.clone())}`
  printRequest(request.method, target, `${response.status}${code}`)
  return response
}

async function codeOf(response: Response): Promise<string> {
  const text = await response.text()
  return /"code":"(\w+)"/.exec(text)?.[1] ?? /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? ''
}

/** Requires that a request fails with `code`. Returns the detail. @throws Error when it succeeds or fails otherwise */
export async function refused(code: ErrorCode, request: Promise<unknown>): Promise<string> {
  try {
    await request
  } catch (error) {
    if (error instanceof ServiceError && error.code === code) return error.detail
    throw error
  }
  throw new Error(`A request should have been refused with ${code}, and was not.`)
}

/** As `refused`, and prints the detail. */
export async function printRefused(code: ErrorCode, request: Promise<unknown>): Promise<void> {
  printFact('detail', await refused(code, request))
}
