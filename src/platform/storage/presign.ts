import { AwsClient } from 'aws4fetch'

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

/** One client for each configuration, because a client caches the day's signing key. */
const clients = new WeakMap<S3Access, AwsClient>()

/** In development: the URL of the last request, for URLs that are signed outside of a request. */
const lastUrls = new WeakMap<S3Access, string>()

/** The client that signs for this configuration. */
export function s3Client(access: S3Access): AwsClient {
  const known = clients.get(access)
  if (known) return known
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = access
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'auto' })
  clients.set(access, client)
  return client
}

/**
 * A signer for R2's S3 API (AWS Signature Version 4, query form). `request_url` is the URL of any request: in development the
 * bucket has the same origin.
 */
export function createSigner(
  config: S3Access,
  request_url = lastUrls.get(config) ?? 'http://localhost:8787',
): Signer {
  if (config.S3_ENDPOINT === 'local') lastUrls.set(config, request_url)
  const client = s3Client(config)
  const endpoint = () =>
    config.S3_ENDPOINT === 'local' ? `${new URL(request_url).origin}/cdn-cgi/local/r2/s3` : config.S3_ENDPOINT

  async function signed(
    method: 'GET' | 'PUT',
    object_key: string,
    query: Record<string, string>,
    headers: Record<string, string>,
    now: number,
    ttl: number,
  ): Promise<SignedUrl> {
    const url = new URL(`${endpoint().replace(/\/$/, '')}/${config.S3_BUCKET}/${object_key}`)
    for (const [name, value] of Object.entries({ ...query, 'X-Amz-Expires': String(ttl) }))
      url.searchParams.set(name, value)
    const datetime = new Date(now * 1000).toISOString().replace(/[:-]|\.\d{3}/g, '')
    const aws = { signQuery: true, allHeaders: true, datetime }
    const request = await client.sign(url, { method, headers, aws })
    return { url: request.url, expires_at: now + ttl }
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
