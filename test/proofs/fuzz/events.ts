import { env } from 'cloudflare:test'
import { PartUrls } from '../../../src/features/uploads/schema.ts'
import { runScheduled } from '../../../src/janitor/janitor.ts'
import { databaseNames, everywhere } from '../../support/databases.ts'
import { AnyUpload } from '../../support/records.ts'
import { contentOf } from './content.ts'
import type { Exchange } from './learn.ts'
import type { Pool } from './pool.ts'
import { bindings } from './send.ts'
import { type Event, resolveHeaders } from './step.ts'

/** What happens between requests: content goes to signed URLs, time passes, the job runs. */

interface Signed {
  url: string
  headers: Record<string, string>
}

const Started = AnyUpload.pick({ id: true, url: true, headers: true })

/** The signed URLs that a round has been given, the latest for each upload. */
export class SignedUrls {
  readonly #byUpload = new Map<string, Signed>()

  /** Takes the URL that an answer gave, if it gave one. Tells the upload that it is for. */
  keep({ operation, request, answer }: Exchange): string | undefined {
    if (answer.status >= 300) return undefined
    const upload = Started.safeParse(answer.body)
    const { id, url, headers } = upload.data ?? {}
    if (id !== undefined && url !== undefined && headers) {
      this.#byUpload.set(id, { url, headers })
      return operation?.id === 'startUpload' ? id : undefined
    }
    const [part] = PartUrls.safeParse(answer.body).data?.parts ?? []
    const of = request.path.split('/').at(-2)
    if (operation?.id !== 'presignParts' || !part || of === undefined) return undefined
    this.#byUpload.set(of, part)
    return of
  }

  of(upload: string): Signed | undefined {
    return this.#byUpload.get(upload)
  }
}

/** Lets an event happen. */
export async function happen(
  { number, event, to, headers = {} }: Event,
  pool: Pool,
  urls: SignedUrls,
): Promise<void> {
  const id = pool.resolve(to)
  if (event === 'the job runs') {
    for (const name of databaseNames) {
      const { failed } = await runScheduled(bindings, name)
      if (failed) throw new Error(`tasks of the job failed: ${failed}`)
    }
    return
  }
  if (event === 'events are parked') return park()
  if (event === 'a share expires') return expire('shares', id)
  if (event === 'an upload expires') return expire('uploads', id)
  const signed = urls.of(id)
  if (!signed) return
  const length = Number(signed.headers['Content-Length'])
  const body = contentOf(id, length, signed.headers['Content-Type'])
  const sent = { ...signed.headers, ...resolveHeaders(headers, pool) }
  const answer = await env.S3.fetch(signed.url, { method: 'PUT', headers: sent, body })
  await answer.body?.cancel()
  if (!answer.ok) return
  if (event === 'content is sent') pool.becomes(id, 'sent')
  else pool.learn(number, [{ kind: 'part', value: answer.headers.get('ETag') ?? '', of: id }])
}

/** Gives up the delivery of all that waits. */
async function park(): Promise<void> {
  await everywhere(
    `UPDATE outbox SET parked_at = unixepoch(), attempts = 12, last_error = 'HTTP 500' WHERE parked_at IS NULL`,
  )
}

/** Takes a share or an upload to a time after its end. */
async function expire(table: 'shares' | 'uploads', id: string): Promise<void> {
  await everywhere(`UPDATE ${table} SET expires_at = 1 WHERE id = ?`, id)
}
