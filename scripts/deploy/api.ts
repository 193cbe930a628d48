/** Cloudflare's API, where wrangler has no command. */
import { z } from 'zod'
import type { Wrangler } from './wrangler.ts'

/** The output of `wrangler auth token --json`. */
const Credentials = z.union([
  z.object({ type: z.enum(['api_token', 'oauth']), token: z.string() }),
  z.object({ type: z.literal('api_key'), key: z.string(), email: z.string() }),
])

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number().optional(), message: z.string() })).default([]),
  result: z.unknown(),
  result_info: z.looseObject({ total_pages: z.number().optional() }).nullish(),
})

/** The API answered with an error, or not at all. */
export class ApiFailed extends Error {
  /** Whether the login lacks a permission. */
  readonly isForbidden: boolean
  /** Whether a repetition may succeed: there were too many requests, or the API has trouble. */
  readonly isPassing: boolean

  /** `status` is undefined when there was no answer. */
  constructor(path: string, what: string, status?: number) {
    super(`${path} of Cloudflare's API ${what}`)
    this.isForbidden = status === 401 || status === 403
    this.isPassing = status === undefined || status === 429 || status >= 500
  }
}

export class CloudflareApi {
  readonly #headers: Record<string, string>
  readonly #base = (process.env.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4').replace(
    /\/$/,
    '',
  )

  private constructor(headers: Record<string, string>) {
    this.#headers = headers
  }

  /** The API, with the credentials of wrangler's login. */
  static async as(wrangler: Wrangler): Promise<CloudflareApi> {
    const given = Credentials.parse(await wrangler.json(['auth', 'token', '--json']))
    return new CloudflareApi(
      given.type === 'api_key'
        ? { 'X-Auth-Key': given.key, 'X-Auth-Email': given.email }
        : { Authorization: `Bearer ${given.token}` },
    )
  }

  /**
   * Reads what a path has.
   *
   * @throws ApiFailed
   */
  async get<Result>(result: z.ZodType<Result>, path: string): Promise<Result> {
    return result.parse((await this.#ask('GET', path)).result)
  }

  /**
   * Changes what a path has. Returns what it has then.
   *
   * @throws ApiFailed
   */
  async put<Result>(result: z.ZodType<Result>, path: string, body: object): Promise<Result> {
    return result.parse((await this.#ask('PUT', path, { body })).result)
  }

  /**
   * Asks a path to do something. Returns its result.
   *
   * @throws ApiFailed
   */
  async post<Result>(result: z.ZodType<Result>, path: string, body: object): Promise<Result> {
    return result.parse((await this.#ask('POST', path, { body })).result)
  }

  /**
   * Lists all items of a path, over all pages.
   *
   * @throws ApiFailed
   */
  async list<Item>(item: z.ZodType<Item>, path: string, query: Record<string, string> = {}): Promise<Item[]> {
    const found: Item[] = []
    for (let page = 1, last = 1; page <= last; page++) {
      const search = new URLSearchParams({ ...query, page: String(page), per_page: '50' })
      const { result, result_info } = await this.#ask('GET', path, { search: `?${search}` })
      found.push(...z.array(item).parse(result))
      last = result_info?.total_pages ?? 1
    }
    return found
  }

  async #ask(
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    { search = '', body }: { search?: string; body?: object } = {},
  ): Promise<z.output<typeof Answer>> {
    const response = await fetch(`${this.#base}${path}${search}`, {
      method,
      headers: { ...this.#headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? (error.cause ?? error.message) : error
      throw new ApiFailed(path, `did not answer: ${reason}`)
    })
    const { data } = Answer.safeParse(await response.json().catch(() => undefined))
    if (data?.success) return data
    const reasons = (data?.errors ?? []).map(({ code, message }) =>
      code === undefined ? message : `${message} [code: ${code}]`,
    )
    const why = reasons.join('; ') || 'no reason'
    throw new ApiFailed(path, `answered ${response.status}: ${why}`, response.status)
  }
}
