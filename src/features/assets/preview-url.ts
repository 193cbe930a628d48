import { type RequestContext, seconds } from '../../platform/context.ts'
import { MINUTE } from '../../platform/lib/time-units.ts'
import { signPreviews } from './preview-signature.ts'
import type { Previewed, PreviewUrls } from './row.ts'

/** The expiry of a signature is a multiple of this, in seconds: so a URL stays the same for a while, and browsers keep the picture. */
const STEP_SECONDS = 5 * MINUTE

/**
 * Prepares the URLs of the previews of these assets, which the caller may read. They are at the address that the client uses for
 * the API, that of the request. The caller's own assets that aren't public share one signature (docs/previews.md).
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
