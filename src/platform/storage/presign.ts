import { AwsV4Signer } from 'aws4fetch'

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

/** The signing keys of each configuration, which hold for a day: deriving one costs more than signing a URL. */
const signingKeys = new WeakMap<S3Access, Map<string, ArrayBuffer>>()

/**
 * A signer for R2's S3 API (AWS Signature Version 4, query form: Amazon S3, "Authenticating Requests: Using Query
 * Parameters"). `request_url` is the URL of any request: in development the bucket has the same origin.
 */
export function createSigner(
  config: S3Access,
  request_url = lastUrls.get(config) ?? 'http://localhost:8787',
): Signer {
  const isLocal = config.S3_ENDPOINT === 'local'
  if (isLocal) lastUrls.set(config, request_url)
  const endpoint = isLocal ? `${new URL(request_url).origin}/cdn-cgi/local/r2/s3` : config.S3_ENDPOINT
  const bucket = `${endpoint.replace(/\/$/, '')}/${config.S3_BUCKET}`
  const cache = signingKeys.get(config) ?? new Map<string, ArrayBuffer>()
  signingKeys.set(config, cache)

  async function signed(
    method: 'GET' | 'PUT',
    object_key: string,
    query: Record<string, string>,
    headers: Record<string, string>,
    now: number,
    ttl: number,
  ): Promise<SignedUrl> {
    const signer = new AwsV4Signer({
      method,
      url: `${bucket}/${object_key}?${new URLSearchParams({ ...query, 'X-Amz-Expires': String(ttl) })}`,
      headers,
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
      service: 's3',
      region: 'auto',
      cache,
      datetime: new Date(now * 1_000).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      signQuery: true,
      allHeaders: true,
    })
    const { url } = await signer.sign()
    // The signature covers %20 for a space. URLSearchParams writes +, which not every server decodes.
    return { url: url.href.replaceAll('+', '%20'), expires_at: now + ttl }
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
