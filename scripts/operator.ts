/** Requests of the operators' commands: to the local server, or to a deployment with a token of the studio's login. */
import { z } from 'zod'
import { developmentToken } from './development.ts'

/** How long a command waits before it asks again: after an answer of 503, say. */
const WAIT_MS = 2_000

/** How often a request is sent at most, unless the command says it. */
const ATTEMPTS = 30

const Problem = z.object({ code: z.string(), detail: z.string().optional() })

/** Whom a command asks, and as whom. */
interface Service {
  origin: string
  /** A token of the login; without one the local server's own is made, anew for each request. */
  token: string | undefined
  /** What the local server's token is for. */
  scope: string
  /** How often a request is sent at most, when it fails in passing. */
  attempts?: number
}

/** Sends a request until it is answered. Ends the command when it is refused, or fails too often. */
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
    const told = typeof response === 'string' ? response : await whyOf(response)
    const isPassing = typeof response === 'string' || [429, 500, 502, 503, 504].includes(response.status)
    if (!isPassing || failures >= attempts) {
      console.error(`${method} ${origin}${path}: ${told}`)
      process.exit(1)
    }
    if (failures === 1) console.error(`${told} (asking again)`)
    await pause()
  }
}

/** Waits before the next request. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WAIT_MS))
}

async function whyOf(response: Response): Promise<string> {
  const problem = Problem.safeParse(await response.json().catch(() => undefined))
  return problem.success ? `${problem.data.code}: ${problem.data.detail ?? ''}` : String(response.status)
}
