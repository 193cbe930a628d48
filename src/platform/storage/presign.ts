/** A URL that allows one operation on one object until `expires_at` (Unix seconds). */
export interface SignedUrl {
  url: string
  expires_at: number
}

/** Signs URLs that are valid from `now` (Unix seconds) for `ttl` seconds. */
export interface Signer {
  /** A URL that reads an object, as a whole or in ranges; the answer has the given Content-Disposition. */
  download(object_key: string, disposition: string, now: number, ttl: number): Promise<SignedUrl>
  /** A URL that creates an object once. It requires exactly these headers. */
  upload(object_key: string, headers: Record<string, string>, now: number, ttl: number): Promise<SignedUrl>
  /** A URL that uploads one part of a multipart upload, any number of times. It requires exactly these headers. */
  part(
    object_key: string,
    multipart_id: string,
    part_number: number,
    headers: Record<string, string>,
    now: number,
    ttl: number,
  ): Promise<SignedUrl>
}

/** The address and the credentials of the bucket's S3 API: members of the configuration. */
export interface S3Access {
  /** `local`: the bucket of the development server. */
  S3_ENDPOINT: string
  S3_BUCKET: string
  S3_ACCESS_KEY_ID: string
  S3_SECRET_ACCESS_KEY: string
}

/** In development: the URL of the last request, for URLs that are signed outside of a request. */
const lastUrls = new WeakMap<S3Access, string>()

/**
 * A signer for R2's S3 API (AWS Signature Version 4, query form: Amazon S3, "Authenticating Requests: Using Query
 * Parameters"). `request_url` is the URL of any request: in development the bucket has the same origin.
 */
export function createSigner(
  config: S3Access,
  request_url = lastUrls.get(config) ?? 'http://localhost:8787',
): Signer {
  if (config.S3_ENDPOINT === 'local') lastUrls.set(config, request_url)
  const isLocal = config.S3_ENDPOINT === 'local'
  const endpoint = isLocal ? `${new URL(request_url).origin}/cdn-cgi/local/r2/s3` : config.S3_ENDPOINT
  const bucket = new URL(`${endpoint.replace(/\/$/, '')}/${config.S3_BUCKET}`)
  const keys = new Map<string, Promise<CryptoKey>>()

  /** Derives the key once for all URLs of a request: a promise is not kept for other requests (src/platform/lib/lazy.ts). */
  function keyOf(date: string): Promise<CryptoKey> {
    const key = keys.get(date) ?? signingKey(config, date)
    keys.set(date, key)
    return key
  }

  async function signed(
    method: 'GET' | 'PUT',
    object_key: string,
    query: Record<string, string>,
    headers: Record<string, string>,
    now: number,
    ttl: number,
  ): Promise<SignedUrl> {
    const datetime = new Date(now * 1000).toISOString().replace(/[:-]|\.\d{3}/g, '')
    const date = datetime.slice(0, 8)
    const scope = `${date}/${REGION}/s3/aws4_request`
    const sent = sorted({ ...lowerCased(headers), host: bucket.host })
    const signedHeaders = sent.map(([name]) => name).join(';')
    const parameters = {
      ...query,
      'X-Amz-Algorithm': ALGORITHM,
      'X-Amz-Credential': `${config.S3_ACCESS_KEY_ID}/${scope}`,
      'X-Amz-Date': datetime,
      'X-Amz-Expires': String(ttl),
      'X-Amz-SignedHeaders': signedHeaders,
    }
    const path = `${bucket.pathname}/${encoded(object_key).replaceAll('%2F', '/')}`
    const search = sorted(parameters)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .join('&')
    const lines = sent.map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, ' ')}\n`).join('')
    const request = [method, path, search, lines, signedHeaders, 'UNSIGNED-PAYLOAD'].join('\n')
    const digest = hex(await crypto.subtle.digest('SHA-256', utf8.encode(request)))
    const text = [ALGORITHM, datetime, scope, digest].join('\n')
    const signature = hex(await hmac(await keyOf(date), text))
    const url = `${bucket.origin}${path}?${search}&X-Amz-Signature=${signature}`
    return { url, expires_at: now + ttl }
  }

  return {
    download: (object_key, disposition, now, ttl) =>
      signed('GET', object_key, { 'response-content-disposition': disposition }, {}, now, ttl),
    upload: (object_key, headers, now, ttl) => signed('PUT', object_key, {}, headers, now, ttl),
    part: (object_key, multipart_id, part_number, headers, now, ttl) => {
      const query = { partNumber: String(part_number), uploadId: multipart_id }
      return signed('PUT', object_key, query, headers, now, ttl)
    },
  }
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
const REGION = 'auto'
const utf8 = new TextEncoder()

/** The last signing key of each configuration, which holds for a day: deriving it costs more than signing a URL. */
const lastKeys = new WeakMap<S3Access, { date: string; key: CryptoKey }>()

async function signingKey(access: S3Access, date: string): Promise<CryptoKey> {
  const last = lastKeys.get(access)
  if (last?.date === date) return last.key
  let key = await keyFrom(utf8.encode(`AWS4${access.S3_SECRET_ACCESS_KEY}`))
  for (const part of [date, REGION, 's3', 'aws4_request']) key = await keyFrom(await hmac(key, part))
  lastKeys.set(access, { date, key })
  return key
}

function keyFrom(secret: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

function hmac(key: CryptoKey, text: string): Promise<ArrayBuffer> {
  return crypto.subtle.sign('HMAC', key, utf8.encode(text))
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The members by name, in the order of their code units. */
function sorted(members: Record<string, string>): [name: string, value: string][] {
  return Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Percent-encodes all but unreserved characters (RFC 3986 §2.3). `encodeURIComponent` leaves five others as they are. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function hex(bytes: ArrayBuffer): string {
  let text = ''
  for (const byte of new Uint8Array(bytes)) text += digits[byte]
  return text
}

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
