import * as base64url from 'jose/base64url'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import type { S3Access } from '../../platform/storage/presign.ts'
import type { Previewed, PreviewUrls } from './row.ts'

/**
 * The expiry of a signature is a multiple of this, in seconds, so that a URL stays the same for a while and browsers cache the
 * picture.
 */
const STEP_SECONDS = 5 * MINUTE

/**
 * Prepares the URLs of the previews of assets that the caller may read. Their origin is that of the request. The caller's own
 * assets that aren't public share one signature (docs/pictures.md#previews-of-game-assets).
 */
export async function previewUrls(
  ctx: Pick<RequestContext, 'config' | 'user_id' | 'now_ms' | 'request_url'>,
  assets: readonly Previewed[],
): Promise<PreviewUrls> {
  if (assets.every(({ preview_key }) => preview_key === null)) return noPreviews
  const { config, user_id } = ctx
  const { origin } = new URL(ctx.request_url)
  const needsSignature = (asset: Previewed) => isForOwner(asset) && asset.owner_id === user_id
  const expires = Math.ceil((seconds(ctx) + config.DOWNLOAD_URL_TTL) / STEP_SECONDS) * STEP_SECONDS
  const signature = assets.some(needsSignature) ? await signPreviews(config, user_id, expires) : undefined
  const signed = `?expires=${expires}&signature=${signature}`
  return {
    urlOf: (asset) => {
      if (asset.preview_key === null) return null
      const url = `${origin}/pictures/assets/${asset.id}/${asset.preview_key}`
      if (asset.is_listed === 1) return url
      return signature !== undefined && needsSignature(asset) ? url + signed : null
    },
  }
}

const noPreviews: PreviewUrls = { urlOf: () => null }

/** Whether an asset has a preview that only its owner is shown. */
function isForOwner({ preview_key, is_listed, blocked, deleted_at }: Previewed): boolean {
  return preview_key !== null && is_listed === 0 && blocked === 0 && deleted_at === null
}

/** Keeps the derived key apart from every other use of the secret. */
const LABEL = 'previews of game assets, version 1'

const utf8 = new TextEncoder()

/** The signing key of each configuration. */
const keys = new WeakMap<S3Access, CryptoKey>()

/** Derives a key from the secret that signs URLs to content, so that the key for previews gives no access to content. */
async function keyOf(access: S3Access): Promise<CryptoKey> {
  const known = keys.get(access)
  if (known) return known
  const secret = await keyFrom(utf8.encode(access.S3_SECRET_ACCESS_KEY))
  const key = await keyFrom(await crypto.subtle.sign('HMAC', secret, utf8.encode(LABEL)))
  keys.set(access, key)
  return key
}

function keyFrom(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

/** The text that is signed. The time comes first, so that two different pairs never give the same text. */
function message(owner_id: string, expires: number): BufferSource {
  return utf8.encode(`${expires} ${owner_id}`)
}

/** Signs that whoever has the signature may see the previews of an owner until `expires` (Unix seconds). */
export async function signPreviews(access: S3Access, owner_id: string, expires: number): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await keyOf(access), message(owner_id, expires))
  return base64url.encode(new Uint8Array(signature))
}

/** The signature in the URL of a preview, as the client sends it: any text. */
export interface PreviewSignature {
  expires?: string | undefined
  signature?: string | undefined
}

/** Whether a signature lets its bearer see the previews of an owner at `now` (Unix seconds). Compares in constant time. */
export async function maySeePreviews(
  access: S3Access,
  owner_id: string,
  { expires = '', signature = '' }: PreviewSignature,
  now: number,
): Promise<boolean> {
  if (!/^[1-9]\d{0,14}$/.test(expires) || Number(expires) <= now) return false
  if (!/^[A-Za-z0-9_-]{43}$/.test(signature)) return false
  const signed = message(owner_id, Number(expires))
  return crypto.subtle.verify('HMAC', await keyOf(access), base64url.decode(signature), signed)
}
