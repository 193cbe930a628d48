import type { ClientOptions } from 'edge-game-storage-client'
import { LiveList } from '../controls/live-list.ts'
import { member } from '../json.ts'

/** A recorded request, without its token. */
export interface RecordedRequest {
  id: number
  method: string
  /** The whole URL. A signed URL is shown without its query. */
  url: string
  /** The JSON body as text; undefined without one. */
  body: string | undefined
  headers: Record<string, string>
  /** When it was sent, in milliseconds since 1970. */
  at: number
  /** The status; undefined until the answer, 0 when none arrived. */
  status: number | undefined
  /** The code of an error response. */
  code: string | undefined
  ms: number | undefined
  request_id: string | undefined
}

const MOST_KEPT = 300

/** The newest requests of one pane, newest first. */
export class RequestLog extends LiveList<RecordedRequest> {
  #next = 1

  readonly clear = (): void => this.set([])

  /** Records a request that is being sent. Returns a function that records its answer. */
  begin(sent: Pick<RecordedRequest, 'method' | 'url' | 'body' | 'headers'>) {
    const id = this.#next++
    const at = Date.now()
    const began = performance.now()
    const open = { ...sent, id, at, status: undefined, code: undefined, ms: undefined, request_id: undefined }
    this.set([open, ...this.items()].slice(0, MOST_KEPT))
    return (answer: Pick<RecordedRequest, 'status' | 'code' | 'request_id'>) => {
      const ms = Math.round(performance.now() - began)
      this.change(id, { ...answer, ms })
    }
  }
}

/** The request headers that the log shows. Authorization stays out. */
const shown = [
  'content-type',
  'content-digest',
  'if-match',
  'if-none-match',
  'idempotency-key',
  'save-device',
  'save-label',
  'save-played-seconds',
  'x-d1-bookmark',
]

/** A `fetch` that records its requests. Content that goes to the bucket is recorded without its bytes. */
export function recordingFetch(log: RequestLog): NonNullable<ClientOptions['fetch']> {
  return async (request, content) => {
    const isJson = request.headers.get('Content-Type')?.startsWith('application/json') ?? false
    const end = log.begin({
      method: request.method,
      url: request.url,
      body: isJson ? await request.clone().text() : undefined,
      headers: Object.fromEntries(
        shown.flatMap((name) => {
          const value = request.headers.get(name)
          return value === null ? [] : [[name, value]]
        }),
      ),
    })
    try {
      const response = await (content ? content.send() : fetch(request))
      end({
        status: response.status,
        code: response.ok ? undefined : await codeOf(response),
        request_id: response.headers.get('X-Request-Id') ?? undefined,
      })
      return response
    } catch (error) {
      end({ status: 0, code: request.signal.aborted ? 'cancelled' : 'no answer', request_id: undefined })
      throw error
    }
  }
}

async function codeOf(response: Response): Promise<string | undefined> {
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const code = member(problem, 'code')
  return typeof code === 'string' ? code : undefined
}
