/** The version of this package, as package.json has it: a test compares the two. */
const VERSION = '0.1.0'

/**
 * What requests name as their User-Agent; undefined in a browser, which sends its own. There the header would be one more that
 * the service has to allow (CORS). Elsewhere some runtimes send none, and Cloudflare's Browser Integrity Check refuses those.
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
