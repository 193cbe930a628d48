/**
 * Decides which requests from the network reach wrangler's server. Below /cdn-cgi wrangler serves SQL on the databases, and it
 * interprets a request by its normalised URL, its Host and headers of its own. Ambiguous requests are refused, and exactly
 * the path that was checked is sent.
 */
import { isPrivateHost } from '../../src/platform/config/development.ts'

/** The path of the local bucket's S3 address. */
export const BUCKET = '/cdn-cgi/local/r2/s3'

/** A request as it arrived. */
export interface Arrived {
  method: string
  /** The request target: the text between the method and the version. */
  target: string
  /** Names and values in turn, as in `IncomingMessage.rawHeaders`. */
  rawHeaders: readonly string[]
  /** The sender's IP address. */
  address: string | undefined
}

export interface Admitted {
  /** The path and query to send. */
  path: string
  isForBucket: boolean
}

export interface Refused {
  status: 400 | 403
  message: string
}

/** A name or an address, and a port. Excludes "/", "\", "?", "#" and "@", which would end or move the host in a URL. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
/** A path and a query in printable ASCII. */
const TARGET = /^\/[!-~]*$/
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i
/** wrangler's own paths: the current prefix and the former one. */
const WRANGLER = /^\/(?:cdn-cgi|__cf_local)(?:\/|$)/
/** An object in the bucket: the path of a signed URL. */
const OBJECT = new RegExp(`^${BUCKET}/[\\w.-]+/[\\w.-]+$`)
/** The methods of signed URLs, and that of preflight requests. */
const OBJECT_METHODS = ['GET', 'HEAD', 'PUT', 'OPTIONS']
/** wrangler's internal headers. MF-Original-URL would replace the URL. */
const WRANGLER_HEADER = /^mf-/i

/** The path to send for a request from the network, or the response that refuses it. */
export function admission({ method, target, rawHeaders, address }: Arrived): Admitted | Refused {
  const headers = pairsOf(rawHeaders)
  const hosts = headers.filter(([name]) => name === 'host').map(([, value]) => value)
  const [host = ''] = hosts
  if (hosts.length !== 1 || !HOST.test(host) || !URL.canParse(`http://${host}`))
    return { status: 400, message: 'Send one Host header: a name or an address, and a port.' }
  if (headers.some(([name]) => WRANGLER_HEADER.test(name)))
    return { status: 400, message: 'Send no headers that begin with MF-: the server uses them itself.' }
  if (!hasOneReading(target))
    return {
      status: 400,
      message: 'Send a path in ASCII without dot segments, empty segments, backslashes and "#".',
    }
  const { pathname, search, hostname } = new URL(`http://${host}${target}`)
  const admitted = { path: pathname + search, isForBucket: OBJECT.test(pathname) }
  if (!WRANGLER.test(pathname)) return admitted
  if (admitted.isForBucket && OBJECT_METHODS.includes(method)) {
    const origins = headers.filter(([name]) => name === 'origin').map(([, value]) => value)
    if (isPrivateHost(hostname) && origins.every(isPrivateOrigin)) return admitted
  } else if (isLoopback(address)) return admitted
  return { status: 403, message: 'This is for this machine only.' }
}

/** Whether normalising a URL with this path leaves it unchanged. */
function hasOneReading(target: string): boolean {
  const [path = ''] = target.split('?', 1)
  const segments = path.split('/').slice(1)
  return (
    TARGET.test(target) &&
    !target.includes('#') &&
    !path.includes('\\') &&
    !segments.some((segment) => DOT_SEGMENT.test(segment)) &&
    !segments.slice(0, -1).includes('')
  )
}

/** Each header as its name in lower case and its value. */
function pairsOf(rawHeaders: readonly string[]): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    pairs.push([(rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? ''])
  return pairs
}

function isPrivateOrigin(origin: string): boolean {
  return URL.canParse(origin) && isPrivateHost(new URL(origin).hostname)
}

function isLoopback(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
