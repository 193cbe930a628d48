import type { Context } from 'hono'
import type { AppEnv, RequestContext } from '../context.ts'
import { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { createSigner } from '../storage/presign.ts'

/** The context of a request for its rules. A request has one `Database`, so that its response has one bookmark. */
export function requestContext(c: Context<AppEnv>): RequestContext {
  const { config, caller } = c.var
  const db = c.var.db ?? new Database(c.env.DB, bookmarkOf(c), config.CALL_TIMEOUT_MS)
  c.set('db', db)
  return {
    db,
    bucket: c.env.BUCKET,
    inboxes: c.env.INBOX,
    sign: createSigner(config, new URL(c.req.url).origin),
    config,
    user_id: caller.user_id,
    now_ms: Date.now(),
  }
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
