import type { Context } from 'hono'
import type { Config } from '../config/variables.ts'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'

/**
 * Serves the console's files (console/), where CONSOLE is on and in development. Elsewhere nothing is served there.
 *
 * @throws NOT_FOUND
 */
export async function serveConsole(c: Context<AppEnv>): Promise<Response> {
  const config = c.get('config')
  if (!(config.CONSOLE || config.DEVELOPMENT) || !c.env.ASSETS) throw new ApiError('NOT_FOUND')
  const answer = await c.env.ASSETS.fetch(c.req.raw)
  if (answer.status === 404) throw new ApiError('NOT_FOUND')
  const response = new Response(answer.body, answer)
  for (const [name, value] of Object.entries(headersOf(config))) response.headers.set(name, value)
  return response
}

/** The hash of the one style that React Aria writes into the page. A browser reports another hash in its console. */
const REACT_ARIA_STYLE = `'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='`

/** Content is sent to the bucket and shown from there: the one address beside this service's own that the page may reach. */
function headersOf({ S3_ENDPOINT }: Config): Record<string, string> {
  const bucket = S3_ENDPOINT === 'local' ? '' : ` ${new URL(S3_ENDPOINT).origin}`
  const policy = {
    'default-src': `'none'`,
    'script-src': `'self'`,
    'style-src': `'self' ${REACT_ARIA_STYLE}`,
    'img-src': `'self' data: blob:${bucket}`,
    'media-src': `'self' blob:${bucket}`,
    'connect-src': `'self'${bucket}`,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    'frame-ancestors': `'none'`,
  }
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}
