import type { ClientOptions } from 'edge-game-storage-client'
import { LiveList } from '../controls/live-list.ts'
import { member } from '../json.ts'
import { noteUnreached } from '../session/reachability.ts'
import { contentBody, isJson, jsonBody } from './body.ts'
import { jsonIn, type RecordedBody, type RecordedRequest } from './recorded.ts'

const MOST_KEPT = 300

/** The newest requests of one pane, newest first. */
export class RequestLog extends LiveList<RecordedRequest> {
  #next = 1

  readonly clear = (): void => this.set([])

  /** Records a request that is being sent. Returns a function that records its answer. */
  begin(sent: Pick<RecordedRequest, 'method' | 'url' | 'is_of_service' | 'headers' | 'body'>) {
    const id = this.#next++
    const at = Date.now()
    const open = { ...sent, id, at, status: undefined, code: undefined, ms: undefined, answer: undefined }
    this.set([open, ...this.items()].slice(0, MOST_KEPT))
    return (end: Pick<RecordedRequest, 'status' | 'code' | 'ms' | 'answer'>) => this.change(id, end)
  }
}

/** The request headers that the log shows. Authorization stays out. */
const shown = [
  'content-type',
  'content-digest',
  'if-match',
  'if-none-match',
  'idempotency-key',
  'audit-reason',
  'on-behalf-of',
  'save-device',
  'save-label',
  'save-played-seconds',
  'x-d1-bookmark',
]

/** A `fetch` that records its requests. Of content, the log has the type and the size. */
export function recordingFetch(log: RequestLog): NonNullable<ClientOptions['fetch']> {
  return async (request, content) => {
    const { origin, pathname } = new URL(request.url)
    const is_of_service = origin === location.origin && pathname.startsWith('/v1/')
    const end = log.begin({
      method: request.method,
      url: is_of_service ? request.url : `${origin}${pathname}?SIGNED`,
      is_of_service,
      body: content ? contentOf(request, content.body) : await bodyOf(request),
      headers: Object.fromEntries(
        shown.flatMap((name) => {
          const value = request.headers.get(name)
          return value === null ? [] : [[name, value]]
        }),
      ),
    })
    const began = performance.now()
    const passed = () => Math.round(performance.now() - began)
    try {
      const response = await (content ? content.send() : fetch(request))
      void answerOf(response, passed()).then(end)
      return response
    } catch (error) {
      // The client aborts a request of its own accord when its time is over.
      const isCancelled = request.signal.aborted && request.signal.reason !== 'timeout'
      end({ status: 0, code: isCancelled ? 'cancelled' : 'no answer', ms: passed(), answer: undefined })
      if (!isCancelled && is_of_service) noteUnreached()
      throw error
    }
  }
}

async function answerOf(response: Response, ms: number) {
  const { status } = response
  const headers = Object.fromEntries(response.headers)
  // The body of an answer that is cancelled while it arrives can't be read.
  const body = await bodyOf(response).catch(() => undefined)
  const code = response.ok ? undefined : codeIn(body)
  return { status, code, ms, answer: { headers, body } }
}

/** The body of a request to the service, or of an answer. Content of answers is not read here. */
async function bodyOf(message: Request | Response): Promise<RecordedBody | undefined> {
  const type = message.headers.get('Content-Type')
  if (type === null) return undefined
  if (isJson(type)) return jsonBody(type, await message.clone().text())
  if (message instanceof Request) return contentBody(type, (await message.clone().blob()).size)
  const length = message.headers.get('Content-Length')
  return contentBody(type, length === null ? undefined : Number(length))
}

function contentOf({ headers }: Request, content: Blob | Uint8Array): RecordedBody {
  const type = headers.get('Content-Type') ?? 'application/octet-stream'
  return contentBody(type, content instanceof Blob ? content.size : content.byteLength)
}

function codeIn(body: RecordedBody | undefined): string | undefined {
  const code = member(jsonIn(body), 'code')
  return typeof code === 'string' ? code : undefined
}
