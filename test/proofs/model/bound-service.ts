import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect } from 'vitest'
import { signedMetadata } from '../../../src/features/uploads/signed-headers.ts'
import { type Report, runJob } from '../../../src/janitor/run.ts'
import { moveStep } from '../../../src/operators/shards/mover/move.ts'
import { configuration } from '../../../src/platform/config/configuration.ts'
import type { Env } from '../../../src/platform/config/env.ts'
import { databasesOf } from '../../../src/platform/shards/map.ts'
import { send } from '../../support/answer.ts'
import { checker } from '../../support/checking.ts'
import { databasesOver } from '../../support/context.ts'
import { databaseNames, isMoving } from '../../support/databases.ts'
import { silentQueue } from '../../support/events.ts'
import type { Answer, RequestOptions } from '../../support/exchange.ts'
import { tokenFor } from '../../support/identities.ts'
import { endMoves, mover } from '../../support/moving.ts'
import { type Fetch, settledService, upgrade } from '../../support/service.ts'
import type { Acted, Death, Manner, Reading, Service } from './act.ts'
import { bytes, CHECKED_TYPE } from './content.ts'
import { boundOf, type Limits, type Upload } from './state.ts'

/** The limits of the model's service. */
export const limits: Limits = {
  DEFAULT_QUOTA_BYTES: 250,
  MAX_ITEMS: 14,
  MAX_ASSETS: 6,
  MAX_PUBLIC_ASSETS: 3,
  MAX_VERSIONS: 9,
  MAX_OPEN_UPLOADS: 4,
  MAX_SHARES_PER_FILE: 2,
  MAX_VERSIONS_PER_ASSET: 4,
  MAX_FAVORITES: 3,
  MAX_MUTES: 2,
  MAX_FOLDER_DEPTH: 3,
  MAX_NOTIFICATIONS: 4,
  MAX_ANNOUNCEMENTS: 3,
  MULTIPART_THRESHOLD: 50,
  PART_SIZE: 5 * 1024 ** 2,
  UPLOAD_TTL: 2 * 86_400,
  UPLOAD_URL_TTL: 3_600,
  DOWNLOAD_URL_TTL: 900,
  TRASH_RETENTION_DAYS: 3,
  NOTIFICATION_RETENTION_DAYS: 5,
}

const SCOPES =
  'audit:read quota:write content:moderate users:erase users:read notifications:publish announcements:publish content:check events:manage job:read shards:move content:reconcile players:write'

/** The service as the Worker over the given bindings. */
export class BoundService implements Service {
  readonly #bindings: Env
  /** How many times a partition has begun to move, or gone on. */
  readonly moves: { begun: number }
  readonly acted = new Map<string, Acted>()
  readonly reading = new Map<string, Reading>()
  readonly #erasures = new Map<string, number>()
  /** Who sends the requests of players on their behalf, where somebody can. */
  actor: string | undefined
  readonly #service: Fetch
  readonly #tokens = new Map<string, Promise<string>>()

  constructor(bindings: Partial<Env> = {}, moves = { begun: 0 }) {
    this.moves = moves
    const variables = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]))
    const [EVENTS, CHECKS] = [silentQueue().queue, silentQueue().queue]
    this.#bindings = { ...env, EVENTS, CHECKS, ...variables, ...checker(CHECKED_TYPE), ...bindings }
    this.#service = settledService(this.#bindings)
  }

  async request(user: string, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const actor = isPossibleOnBehalf(user, method, path, options) ? this.actor : undefined
    const headers = {
      Authorization: `Bearer ${await this.#token(actor ?? user)}`,
      ...(actor && { 'On-Behalf-Of': encodeURIComponent(user), 'Audit-Reason': 'Ticket%204711' }),
      ...options.headers,
    }
    const answer = await send(method, `/v1${path}`, { ...options, headers }, this.#service)
    const at = Math.floor(Date.now() / 1_000)
    const isRead = method === 'GET' || READING.includes(path)
    const hour = `${user} ${Math.floor(at / 3_600)}`
    const since = `${hour} ${this.#erasures.get(`/users/${encodeURIComponent(user)}`) ?? 0}`
    if (actor && isRead && answer.status < 400 && !this.reading.has(since))
      this.reading.set(since, { hour, at })
    if (method === 'DELETE' && answer.status === 202)
      this.#erasures.set(path, (this.#erasures.get(path) ?? 0) + 1)
    if (actor ? !isRead : user.startsWith('operator') && leavesEntry(method, path, options))
      this.acted.set(answer.headers.get('X-Request-Id') ?? '', {
        actor: actor ?? user,
        is_on_behalf: actor !== undefined,
        status: answer.status,
        at,
      })
    return answer
  }

  async connect(user: string, after: number | undefined): Promise<Response> {
    const query = after === undefined ? '' : `?after=${after}`
    return upgrade({ Authorization: `Bearer ${await this.#token(user)}` }, query, this.#service)
  }

  /**
   * One run of the scheduled job of each database, in which no task may fail. While a partition moves, the jobs of its databases
   * wait, or tasks of theirs fail when it has just begun: then the job runs again after the move.
   */
  async runJob(): Promise<void> {
    for (const name of databaseNames)
      for (let runs = 0; ; runs++) {
        if (runs === 20) throw new Error('the job waits for ever')
        const begun = this.moves.begun
        const isDisturbed = await isMoving()
        const { failed, waits_for_move } = await this.#runJobOf(name)
        if (failed === undefined && !waits_for_move) break
        if (!isDisturbed && begun === this.moves.begun) expect(failed).toBeUndefined()
        await endMoves()
      }
  }

  async #runJobOf(name: string): Promise<Report> {
    const { BUCKET, INBOX, SAVES } = this.#bindings
    const { config } = configuration(this.#bindings)
    if (!config) throw new Error('the model runs without a configuration')
    const databases = databasesOver(databasesOf(this.#bindings))
    return runJob({
      db: databases.whole(name),
      databases,
      bucket: BUCKET,
      inboxes: INBOX,
      saves: SAVES,
      config,
      now_ms: Date.now(),
      pause: async () => {},
    })
  }

  /** Takes some steps of moving a partition. With a death, the mover is killed at one of its calls. */
  async movePartition(
    partition: string,
    target: string,
    steps: number,
    death: Death | undefined,
  ): Promise<void> {
    this.moves.begun++
    try {
      const killed = mover(death, databasesOf(this.#bindings))
      await moveStep(killed, { first: partition, last: partition }, target, { steps })
    } catch (error) {
      if (!death) throw error
    }
  }

  async putObject(upload: Upload, content: string, manner: Manner): Promise<boolean> {
    const onlyIf = { etagDoesNotMatch: '*' }
    const options = { onlyIf, ...metadataOf(upload, manner) }
    return (await this.#bindings.BUCKET.put(upload.id, bytes(content), options)) !== null
  }

  async putPart({ id, part }: Upload, content: string): Promise<string | undefined> {
    const multipart_id = new URL(part.url ?? '').searchParams.get('uploadId') ?? ''
    const multipart = this.#bindings.BUCKET.resumeMultipartUpload(id, multipart_id)
    return multipart.uploadPart(1, bytes(content)).then(
      ({ etag }) => etag,
      () => undefined,
    )
  }

  /** The platform rings an inbox's alarm, for which it has to be time, if one is set. */
  async ring(user: string): Promise<void> {
    const inbox = env.INBOX.getByName(user)
    const due = await runInDurableObject(inbox, (_, state) => state.storage.getAlarm())
    if (due !== null) expect(due, 'when the alarm is set to ring').toBeLessThanOrEqual(Date.now())
    await runDurableObjectAlarm(inbox)
  }

  #token(user: string): Promise<string> {
    const scope = user.startsWith('operator') ? SCOPES : undefined
    const claims = { exp: 4_000_000_000, scope, max_rating: boundOf(user) }
    const token = this.#tokens.get(user) ?? tokenFor(user, claims)
    this.#tokens.set(user, token)
    return token
  }
}

/** The requests that only read, beside GET. */
const READING = ['/files/urls', '/game/urls', '/game/updates', '/profiles']

/**
 * Whether a request of a player is answered alike on their behalf: nobody reports, appeals or mutes for them, or sends the requests of
 * services for them; a key is another one, a token has a bound that nobody has for them, and an inbox takes in announcements when its
 * player reads it.
 */
function isPossibleOnBehalf(
  user: string,
  method: string,
  path: string,
  { headers }: RequestOptions,
): boolean {
  if (user.startsWith('operator') || boundOf(user) !== undefined) return false
  if (headers?.['Idempotency-Key'] !== undefined) return false
  if (method === 'GET') return !path.startsWith('/notifications')
  return !/^\/(mutes|reports|decisions|moderation)\b|\/(verdict|block)$/.test(path)
}

/** Whether a request of an operator leaves an entry in the audit. */
function leavesEntry(method: string, path: string, { json }: RequestOptions): boolean {
  if (path === '/reconcile') return Object(json).repair === true
  const isOfScope =
    /^\/(users|announcements|shards|catalogue|events|moderation)\b/.test(path) || path.endsWith('/block')
  return method !== 'GET' && isOfScope
}

function metadataOf({ id, mime_type }: Upload, manner: Manner): R2PutOptions {
  const signed = signedMetadata(manner === 'as a copy' ? 'another upload' : id, mime_type)
  if (manner !== 'with an encoding') return signed
  return { ...signed, httpMetadata: { ...signed.httpMetadata, contentEncoding: 'gzip' } }
}
