import { record } from '../json.ts'
import type { recordingFetch } from '../requests/log.ts'
import type { Tokens } from './token.ts'

/** A request that only operators send: the client has none of them, because they change with any release. */
export interface OperatorRequest {
  method: 'GET' | 'POST'
  /** With the `/v1`. */
  path: string
  body?: object
  signal?: AbortSignal
}

/** Why an operator's request was refused, or was not answered as the service answers. */
class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/**
 * Makes a function that sends operators' requests with the tokens of a pane. It returns the answer's JSON.
 *
 * @throws OperatorError
 */
export function operatorRequests(tokens: Tokens, send: ReturnType<typeof recordingFetch>) {
  const attempt = async ({ method, path, body, signal }: OperatorRequest, renew: boolean) => {
    const headers = {
      Authorization: `Bearer ${await tokens.get({ renew })}`,
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const given = { method, headers, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) }
    return send(new Request(new URL(path, location.origin), given))
  }
  return async (request: OperatorRequest): Promise<unknown> => {
    const first = await attempt(request, false)
    // The token may have expired.
    const response = first.status === 401 ? await attempt(request, true) : first
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok) return answer
    const { detail, code, request_id } = record(answer)
    if (typeof detail !== 'string') throw new OperatorError(`${request.path} answered ${response.status}.`)
    throw new OperatorError(`${detail} (${String(code)}, request ${String(request_id)})`)
  }
}
