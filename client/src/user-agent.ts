/** The version in package.json; a test compares the two. */
const VERSION = '0.3.0'

/**
 * The User-Agent header of requests; undefined in a browser, where CORS would have to allow the header. Some other runtimes
 * send none by default, and Cloudflare's Browser Integrity Check rejects requests without it.
 */
export function userAgent(): string | undefined {
  const runtime: unknown = Reflect.get(globalThis, 'navigator')
  const isBrowser =
    typeof runtime === 'object' &&
    runtime !== null &&
    'userAgent' in runtime &&
    String(runtime.userAgent).startsWith('Mozilla/')
  return isBrowser ? undefined : `edge-game-storage-client/${VERSION}`
}
