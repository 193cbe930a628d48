import type { Context } from 'hono'
import type { Config } from '../config/variables.ts'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'

/** Where the console's files are. Every other path below /console/ is an address of its page. */
const FILES = '/console/static/'

/**
 * Serves the console (console/) when CONSOLE is on, and in development: its files, and its page at every other path. The page
 * itself reports a path without a screen.
 *
 * @throws NOT_FOUND when the console is off or has no such file
 */
export async function serveConsole(c: Context<AppEnv>): Promise<Response> {
  const config = c.get('config')
  if (!(config.CONSOLE || config.DEVELOPMENT) || !c.env.ASSETS) throw new ApiError('NOT_FOUND')
  const url = new URL(c.req.url)
  if (!url.pathname.startsWith(FILES)) url.pathname = '/console/'
  const file = await c.env.ASSETS.fetch(new Request(url, c.req.raw))
  if (file.status === 404) throw new ApiError('NOT_FOUND')
  const response = new Response(file.body, file)
  for (const [name, value] of Object.entries(headersOf(config))) response.headers.set(name, value)
  return response
}

/** The hash of the only style that React Aria injects. If it changes, browsers log the new hash in their console. */
const REACT_ARIA_STYLE = `'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='`

/** The headers of a file. The page may reach this service and the bucket, to which it uploads and whose content it shows. */
function headersOf({ S3_ENDPOINT }: Config): Record<string, string> {
  const bucket = S3_ENDPOINT === 'local' ? '' : ` ${new URL(S3_ENDPOINT).origin}`
  const policy = {
    'default-src': `'none'`,
    'script-src': `'self'`,
    'style-src': `'self' ${REACT_ARIA_STYLE}`,
    'img-src': `'self' data: blob:${bucket}`,
    'font-src': `'self'`,
    'media-src': `'self' blob:${bucket}`,
    'connect-src': `'self'${bucket}`,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    'frame-ancestors': `'none'`,
  }
  return {
    // The browser asks each time, and the cache in front of the Worker keeps nothing.
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}
