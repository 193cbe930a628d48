import { env } from 'cloudflare:test'
import { type Answer, send } from '../../support/answer.ts'
import { bytes } from '../../support/content.ts'
import { overEvery } from '../../support/databases.ts'
import { silentQueue, webhook } from '../../support/events.ts'
import { meteredDatabase } from '../../support/meter.ts'
import { origin, settledService } from '../../support/service.ts'
import { wordInLog } from './log.ts'
import type { Person } from './people.ts'
import type { ResolvedRequest } from './step.ts'

/**
 * The same service with limits that a round comes to: three levels of folders, one part above 200 bytes, … Some content
 * waits for a verdict, which comes from the adversary alone: nobody asks the checker. Events are written, and nobody
 * delivers them.
 */
export const bindings = {
  ...env,
  DEFAULT_QUOTA_BYTES: '12000',
  MAX_ITEMS: '12',
  MAX_ASSETS: '7',
  MAX_VERSIONS_PER_ASSET: '3',
  MAX_OPEN_UPLOADS: '6',
  MAX_SHARES_PER_FILE: '2',
  MAX_FOLDER_DEPTH: '3',
  MULTIPART_THRESHOLD: '200',
  MAX_SAVE_SLOTS: '2',
  SAVE_REVISIONS: '3',
  SAVE_BYTES: '150',
  CONTENT_CHECK_URL: 'https://checker.example/check',
  CONTENT_CHECK_SECRET: `whsec_${btoa('a secret of the tests, of 32 byte')}`,
  CONTENT_CHECK_KINDS: 'application/octet-stream,image/png',
  EVENTS: silentQueue().queue,
  ...webhook,
  CHECKS: silentQueue().queue,
}

/** How long a request may take, in milliseconds: far more than any needs, so that only one that never ends does. */
const LONGEST = 20_000

/** A request that no client can send, since it is none: the runtime refuses to make it. */
export class Unsendable extends Error {}

/**
 * Sends a request and reads the answer, which must be one that the description has. `hear` gets what comes on the
 * socket, if it has become one; `limits` are other ones than a round's; in `cost` the rows that D1 read are counted.
 *
 * @throws Unsendable; an error that says what is wrong with the answer
 */
export async function exchange(
  asked: ResolvedRequest,
  person: Person | undefined,
  hear: (socket: WebSocket) => void,
  { limits, cost = { rows_read: 0 } }: { limits?: Record<string, string>; cost?: { rows_read: number } } = {},
): Promise<Answer> {
  const { method, path, headers, body } = asked
  const sent = { ...(person && { Authorization: `Bearer ${person.user.token}` }), ...headers }
  const content = body === undefined || ['GET', 'HEAD'].includes(method) ? undefined : bytes(body)
  const request = sendable(method, path, sent, content)
  const databases = overEvery((database) =>
    meteredDatabase(database, (results) => {
      for (const { meta } of results) cost.rows_read += meta.rows_read
    }),
  )
  const service = settledService({ ...bindings, ...limits, ...databases })
  const fetch = async (once: Request) => {
    const response = await service(once)
    if (response.webSocket) hear(response.webSocket)
    return response
  }
  const answering =
    request.method === 'HEAD'
      ? head(request, fetch)
      : send(method, path, { headers: sent, body: content }, fetch)
  const answer = await inTime(answering)
  if (answer.status >= 500) throw new Error(`a 5xx: ${answer.status} ${answer.text}`)
  const fault = wordInLog(asked, person, answer.headers.get('X-Request-Id'))
  if (fault !== undefined) throw new Error(fault)
  return answer
}

function sendable(method: string, path: string, headers: Record<string, string>, body?: Uint8Array): Request {
  // workerd takes more, and says so in the log each time.
  if (Object.values(headers).some((value) => /[^ -~\t]/.test(value))) throw new Unsendable('a header')
  try {
    return new Request(origin + path, { method, headers, body })
  } catch (error) {
    throw new Unsendable(String(error))
  }
}

/** HEAD is answered as GET is, without the content. */
async function head(request: Request, fetch: (request: Request) => Promise<Response>): Promise<Answer> {
  const { url, headers } = request
  const asked = await fetch(new Request(url, { headers }))
  await asked.body?.cancel()
  const response = await fetch(request)
  const text = await response.text()
  if (text !== '') throw new Error(`HEAD was answered with content: ${text}`)
  // A socket is for GET alone.
  if (asked.status !== 101 && response.status !== asked.status)
    throw new Error(`HEAD was answered ${response.status}, GET ${asked.status}`)
  return { status: response.status, headers: response.headers, text, body: undefined }
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the request does not end')), LONGEST)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
