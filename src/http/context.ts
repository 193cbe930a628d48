import type { Context } from 'hono'
import type { Caller } from '../auth/verify.ts'
import { Database } from '../db/database.ts'
import type { Config, Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { createSigner, type Signer } from '../storage/sign.ts'

export interface AppEnv {
  Bindings: Env
  Variables: { requestId: string; config: Config; caller: Caller; db?: Database }
}

/** What a rule may know and use of the request that it serves. Rules never see Hono's context. */
export interface Work {
  db: Database
  bucket: R2Bucket
  sign: Signer
  config: Config
  user_id: string
  /** When the request came, in milliseconds. */
  now_ms: number
}

/** The work that a request asks for. The one place that hands a request its database and its bucket. */
export function work(c: Context<AppEnv>): Work {
  const { config, caller } = c.var
  const db = c.var.db ?? new Database(c.env.DB, bookmarkOf(c))
  c.set('db', db)
  return {
    db,
    bucket: c.env.BUCKET,
    sign: createSigner(config, new URL(c.req.url).origin),
    config,
    user_id: caller.user_id,
    now_ms: Date.now(),
  }
}

/** The time of a request in Unix seconds, which is what the API and the database speak. */
export function seconds({ now_ms }: Pick<Work, 'now_ms'>): number {
  return Math.floor(now_ms / 1000)
}

function bookmarkOf(c: Context<AppEnv>): string | undefined {
  const bookmark = c.req.header('X-D1-Bookmark')
  if (bookmark === undefined || /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/.test(bookmark))
    return bookmark
  throw new ApiError('VALIDATION_FAILED', {
    detail: 'X-D1-Bookmark is not one that this service gave out.',
    errors: [{ in: 'header', path: '/x-d1-bookmark', message: 'Send the last bookmark unchanged, or none.' }],
  })
}
