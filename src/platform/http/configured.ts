import { createMiddleware } from 'hono/factory'
import { configuration } from '../config/configuration.ts'
import { isPrivateHost } from '../config/development.ts'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'
import { bookmarkOf } from '../shards/databases.ts'

/**
 * Sets the request's configuration, and `X-D1-Bookmark` on the response when a database was used.
 *
 * @throws UNAVAILABLE when the configuration has problems, or when DEVELOPMENT is set on a public host
 */
export const configured = createMiddleware<AppEnv>(async (c, next) => {
  const { config, problems } = configuration(c.env)
  const isPrivate = isPrivateHost(new URL(c.req.url).hostname)
  if (!config) {
    const remedy = isPrivate ? ' npm run dev makes what is missing for development.' : ''
    throw misconfigured(`This service is not configured: ${problems.join('; ')}.${remedy}`)
  }
  if (config.DEVELOPMENT && !isPrivate)
    throw misconfigured(
      'DEVELOPMENT is set: this service answers on this machine and in private networks only.',
    )
  c.set('config', config)
  await next()
  const db = c.get('db')
  const bookmark = db && bookmarkOf(db)
  // c.header() would rebuild the finished response.
  if (bookmark) c.res.headers.set('X-D1-Bookmark', bookmark)
})

function misconfigured(detail: string): ApiError {
  return new ApiError('UNAVAILABLE', { detail, headers: { 'Retry-After': '60' } })
}
