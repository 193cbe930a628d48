import { sql } from 'drizzle-orm'
import { isWaiting, type UploadRow, uploadColumns } from '../../features/uploads/row.ts'
import type { Env } from '../../platform/config/env.ts'
import type { Config } from '../../platform/config/variables.ts'
import { seconds } from '../../platform/context.ts'
import { joined } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { HOUR, MINUTE } from '../../platform/lib/units.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import type { Signer } from '../../platform/storage/presign.ts'
import { POST_TIMEOUT_MS, type Refusal, signedPost } from '../events/signed-post.ts'

/** Everything that `askChecker` may use. */
export interface AskContext {
  databases: Databases
  sign: Signer
  checker: Checker
  config: Config
  now_ms: number
}

/** The lifetime of the URL with which the checker reads the content. */
const URL_TTL_SECONDS = 15 * MINUTE

/** The seconds until the checker is asked again, after the first request, the second, …; the last pause repeats. */
const PAUSES = [5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR]

const LAST_PAUSE = PAUSES.at(-1) ?? 0
const PAUSES_BY_ATTEMPT = joined(
  PAUSES.map((pause, attempts) => sql`WHEN ${attempts} THEN ${pause}`),
  ' ',
)

type Asked = UploadRow & { kind: string | null }

/**
 * Asks the checker for a verdict on the content of an upload (docs/content-check.md), with a URL that reads only this
 * content. Returns false when the checker did not accept the request. The job asks again for a verdict that is overdue.
 *
 * @throws UNAVAILABLE
 */
export async function askChecker(ctx: AskContext, id: string): Promise<boolean> {
  const now = seconds(ctx)
  const upload = await claim(ctx, id, now)
  if (!upload) return true
  const url = await ctx.sign.download(id, 'attachment', now, URL_TTL_SECONDS)
  const refusal = await ctx.checker.post({
    // Differs in each attempt, so that a checker that lost an earlier request doesn't drop this one as a repetition.
    id: `${id}.${upload.check_attempts}`,
    timestamp: now,
    body: JSON.stringify({
      type: 'upload.check',
      timestamp: new Date(ctx.now_ms).toISOString(),
      data: {
        upload_id: id,
        owner_id: upload.owner_id,
        kind: upload.kind,
        mime_type: upload.mime_type,
        size_bytes: upload.size_bytes,
        checksum_sha256: upload.checksum_sha256,
        url: url.url,
        url_expires_at: url.expires_at,
        attempt: upload.check_attempts,
      },
    }),
  })
  if (!refusal) return true
  const { check_attempts: attempts } = upload
  logWarning('the checker did not take an upload', { upload_id: id, attempts, error: refusal.reason })
  return false
}

/** Records this request to the checker and the time of the next. Returns undefined when no verdict is needed any more. */
async function claim({ databases, config }: AskContext, id: string, now: number): Promise<Asked | undefined> {
  const next_at = sql`${now} + CASE check_attempts ${PAUSES_BY_ATTEMPT} ELSE ${LAST_PAUSE} END`
  const [upload] = await databases.of(id).write<Asked>(
    sql`UPDATE uploads SET check_attempts = check_attempts + 1, check_next_at = ${next_at},
        expires_at = max(expires_at, ${now + LAST_PAUSE + config.UPLOAD_TTL})
      WHERE id = ${id} AND ${isWaiting} AND state IN ('open', 'completing') AND ${isNotErased}
      RETURNING ${uploadColumns}, coalesce(asset_type,
        (SELECT files.asset_type FROM files WHERE files.id = file_id),
        (SELECT type FROM game_assets WHERE game_assets.id = asset_id)) AS kind`,
  )
  return upload
}

/** The content checker: the studio's server, or a bound Worker. */
export interface Checker {
  /** Sends a signed message. Returns why the checker did not accept it, undefined when it did. */
  post: (message: { id: string; timestamp: number; body: string }) => Promise<Refusal | undefined>
}

/** The URL of requests to a bound Worker. A service binding ignores the host. */
const BOUND = 'https://content-check/'

/** The configured checker; undefined without one. */
export function checkerOf({ CONTENT_CHECK }: Env, config: Config): Checker | undefined {
  const { CONTENT_CHECK_URL: url, CONTENT_CHECK_SECRET: secrets = [] } = config
  if (CONTENT_CHECK)
    return {
      post: (message) =>
        signedPost(BOUND, secrets, message, POST_TIMEOUT_MS, (address, request) =>
          CONTENT_CHECK.fetch(address, request),
        ),
    }
  return url === undefined ? undefined : { post: (message) => signedPost(url, secrets, message) }
}
