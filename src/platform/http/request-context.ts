import type { Context } from 'hono'
import { inboxesOf } from '../config/namespaces.ts'
import type { AppEnv, ContentCheck, InboxContext, RequestContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { counted } from '../lib/figures.ts'
import { type Bookmark, Databases } from '../shards/databases.ts'
import { databasesOf, FIRST } from '../shards/map.ts'
import { createSigner } from '../storage/presign.ts'

/** The context of a request for its rules. A request has one set of databases, so that its response has one bookmark. */
export function requestContext(c: Context<AppEnv>): RequestContext {
  const { config, caller, figures } = given(c)
  const databases =
    c.get('databases') ??
    new Databases(databasesOf(c.env), {
      ranges: config.SHARDS,
      timeout_ms: config.CALL_TIMEOUT_MS,
      figures,
      bookmark: bookmarkOf(c),
    })
  c.set('databases', databases)
  const db = databases.home(caller.user_id)
  c.set('db', db)
  return {
    db,
    databases,
    bucket: counted(c.env.BUCKET, () => figures.r2_calls++),
    inboxes: counted(inboxesOf(c.env, config), () => figures.inbox_calls++),
    sign: createSigner(config, c.req.url),
    check: checkOf(c),
    config,
    user_id: caller.user_id,
    now_ms: Date.now(),
  }
}

/** What the middlewares have set. Hono's `c.var` makes an object of all variables each time. */
function given(c: Context<AppEnv>) {
  return { config: c.get('config'), caller: c.get('caller'), figures: c.get('figures') }
}

/** The check of content, when a checker is configured. A request has one, so that what it asks for is asked for after it. */
function checkOf(c: Context<AppEnv>): ContentCheck | undefined {
  const { CONTENT_CHECK_URL, CONTENT_CHECK_KINDS: kinds = ['*'] } = c.get('config')
  if (!c.env.CONTENT_CHECK && !CONTENT_CHECK_URL) return undefined
  const check = c.get('check') ?? { kinds, asked: new Set() }
  c.set('check', check)
  return check
}

/** The context of a request that asks an inbox and no database. */
export function inboxContext(c: Context<AppEnv>): InboxContext {
  const { config, caller, figures } = given(c)
  bookmarkOf(c) // one that is malformed is rejected here too
  const inboxes = counted(inboxesOf(c.env, config), () => figures.inbox_calls++)
  return { inboxes, config, user_id: caller.user_id, now_ms: Date.now() }
}

/** A bookmark of the first database, or one of another behind the name of its binding. */
const BOOKMARK = /^(?:(DB_\d+):)?([0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32})$/

function bookmarkOf(c: Context<AppEnv>): Bookmark | undefined {
  const header = c.req.header('X-D1-Bookmark')
  if (header === undefined) return undefined
  const [, database = FIRST, position] = BOOKMARK.exec(header) ?? []
  if (position !== undefined) return { database, position }
  throw new ApiError('VALIDATION_FAILED', {
    detail: 'X-D1-Bookmark is not one that this service gave out.',
    errors: [{ in: 'header', path: '/x-d1-bookmark', message: 'Send the last bookmark unchanged, or none.' }],
  })
}
