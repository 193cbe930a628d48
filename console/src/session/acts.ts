import type { ClientOptions } from 'edge-game-storage-client'
import { LiveList } from '../controls/live-list.ts'

type Send = NonNullable<ClientOptions['fetch']>

/** Makes a `fetch` of another: what requests pass on their way. */
export type Around = (send: Send) => Send

/** The requests with another method than GET that only read. */
const READING = ['/v1/files/urls', '/v1/game/urls', '/v1/game/updates', '/v1/profiles']

/** How long an answer may take, in milliseconds. The time of a client would begin with the question for a reason. */
const TIMEOUT_MS = 60_000

/** A request that has changed something, or was refused. */
export interface DoneAct {
  /** The id of the request, which its entry in the audit has. */
  id: string
  status: number
}

/** What somebody does on behalf of a player: asks for a reason before the first act, and notes each, the latest first. */
export class Acts extends LiveList<DoneAct> {
  /** Why, for the audit; empty until the first act. */
  reason = ''
  /** Asks for the reason. Resolves with an empty text when there is none. */
  ask: () => Promise<string> = () => Promise.resolve('')
  #asking: Promise<string> | undefined

  readonly around: Around = (send) => async (request, content) => {
    if (!isAct(request)) return send(request, content)
    if (this.reason === '') {
      // Several acts at once ask one question.
      this.#asking ??= this.ask().finally(() => {
        this.#asking = undefined
      })
      this.reason = await this.#asking
      if (this.reason === '') return withoutReason()
    }
    const given = new Request(request, {
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    given.headers.set('Audit-Reason', encodeURIComponent(this.reason))
    const response = await send(given, content)
    const id = response.headers.get('X-Request-Id')
    if (id !== null) this.set([{ id, status: response.status }, ...this.items()])
    return response
  }
}

function isAct({ method, url }: Request): boolean {
  const { origin, pathname } = new URL(url)
  return (
    origin === location.origin &&
    pathname.startsWith('/v1/') &&
    method !== 'GET' &&
    !READING.includes(pathname)
  )
}

/** The answer to an act without a reason, which is not sent. */
function withoutReason(): Response {
  const detail = 'Nothing was changed, because no reason was given.'
  const problem = {
    code: 'VALIDATION_FAILED',
    status: 400,
    title: 'No reason was given',
    detail,
    request_id: 'not sent',
  }
  return Response.json(problem, { status: 400, headers: { 'Content-Type': 'application/problem+json' } })
}
