/** Sends the requests of the operators' commands, to the local server or to a deployment. */
import { z } from 'zod'
import { developmentToken } from './development.ts'
import { orRefuse, refuse } from './usage.ts'

/** The pause before a request is repeated. */
const WAIT_MS = 2_000

/** How often a request is sent at most, by default. */
const ATTEMPTS = 30

const Problem = z.object({ code: z.string(), detail: z.string().optional() })

/** The service that a command asks, and the token to ask with. */
interface Service {
  origin: string
  /** A token of the studio's login; undefined makes one of the local server, for each request anew. */
  token: string | undefined
  /** The scope of the local server's token. */
  scope: string
  /** How often a request is sent at most when it fails temporarily. */
  attempts?: number
}

/** What every command takes to say which service it asks, as which operator. */
export const serviceOptions = {
  url: { type: 'string' },
  port: { type: 'string', default: '8787' },
  token: { type: 'string' },
} as const

/** The lines of a usage that say so. */
export const serviceUsage = (
  scope: string,
  variable: string,
) => `  --url URL      the service; the local server if there is none (--port N)
  --token TOKEN  a token of your login with the scope ${scope}; ${variable} in the environment may be set instead.
                 The local server makes its own.`

/** The service that the arguments of a command name. Refuses a deployment without a token, which `variable` may have. */
export function serviceOf(
  { url, port, token }: { url?: string | undefined; port: string; token?: string | undefined },
  { scope, variable, usage, attempts }: { scope: string; variable: string; usage: string; attempts?: number },
): Service {
  const { origin } = orRefuse(() => new URL(url ?? `http://localhost:${port}`), usage)
  if (origin === 'null') refuse('The URL begins with https:// or http://.', usage)
  const given = (token ?? process.env[variable]) || undefined
  if (url !== undefined && given === undefined)
    refuse(`Give --token, or set ${variable}, to a token of your login with the scope ${scope}.`, usage)
  return { origin, token: given, scope, ...(attempts !== undefined && { attempts }) }
}

/** Sends a request, and repeats it after temporary failures. Ends the process when it is refused or fails too often. */
export async function askService(
  { origin, token, scope, attempts = ATTEMPTS }: Service,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  for (let failures = 1; ; failures++) {
    const bearer = token ?? (await developmentToken('operator-of-commands', { scope }))
    const response = await fetch(origin + path, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch((error: unknown) => String(error))
    if (typeof response !== 'string' && response.ok) return response.json()
    const reason = typeof response === 'string' ? response : await whyOf(response)
    const isTemporary = typeof response === 'string' || [429, 500, 502, 503, 504].includes(response.status)
    if (!isTemporary || failures >= attempts) {
      console.error(`${method} ${origin}${path}: ${reason}`)
      process.exit(1)
    }
    if (failures === 1) console.error(`${reason} (asking again)`)
    await pause()
  }
}

/** A count as text, with separators. */
export const number = (value: number): string => Math.round(value).toLocaleString('en')

/** Waits before the next request. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WAIT_MS))
}

async function whyOf(response: Response): Promise<string> {
  const problem = Problem.safeParse(await response.json().catch(() => undefined))
  return problem.success ? `${problem.data.code}: ${problem.data.detail ?? ''}` : String(response.status)
}
