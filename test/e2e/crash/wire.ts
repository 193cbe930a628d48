import { type Requests, unspoken } from '../../proofs/model/act.ts'
import type { Answer, RequestOptions } from '../../support/exchange.ts'
import type { Power } from './power.ts'

/** A client's line to the server over HTTP. It may go dead at any moment. */
export class Wire implements Requests {
  readonly power: Power
  readonly #tokens = new Map<string, string>()

  constructor(power: Power) {
    this.power = power
  }

  /** Lets a user ask with this token. */
  signIn(user: string, token: string): void {
    this.#tokens.set(user, token)
  }

  async request(user: string, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { headers, json, body = json === undefined ? null : JSON.stringify(json) } = options
    const own = { Authorization: `Bearer ${this.#tokens.get(user)}`, 'Content-Type': 'application/json' }
    const url = `${this.power.origin}/v1${path}`
    return read(await fetch(url, { method, body, headers: { ...own, ...headers } }))
  }

  /** Sends content to a signed URL. 204 when it is there, as of an object that is put over a binding. */
  async put(url: string, headers: Record<string, string>, content: string): Promise<Answer> {
    const body = Buffer.from(content, 'latin1')
    const answer = await read(await fetch(url, { method: 'PUT', headers, body }))
    return answer.status === 200 ? { ...unspoken, headers: answer.headers } : { ...answer, body: undefined }
  }

  /** Runs the scheduled job, as `npm run job` does. */
  async runJob(): Promise<Answer> {
    const query = `cron=${encodeURIComponent('*/5 * * * *')}&format=json`
    return read(await fetch(`${this.power.origin}/cdn-cgi/local/scheduled?${query}`))
  }
}

async function read(response: Response): Promise<Answer> {
  const { status, headers } = response
  const text = await response.text()
  const isJson = headers.get('Content-Type')?.includes('json')
  return { status, headers, text, body: isJson ? JSON.parse(text) : text === '' ? undefined : text }
}
