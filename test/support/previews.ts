import { env } from 'cloudflare:test'
import { signPreviews } from '../../src/features/assets/preview-url.ts'
import { findPreview } from '../../src/features/previews/preview.ts'
import { configuration } from '../../src/platform/config/configuration.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { databaseOf } from './databases.ts'

/** An asset and its preview, as the URL of a picture names them. */
export interface Seen {
  asset_id: string
  preview_key: string
}

/** The key of the preview that an asset has now; null without one, and undefined without an asset. */
export async function previewOf(asset_id: string): Promise<string | null | undefined> {
  const row = await databaseOf(asset_id)
    .prepare('SELECT preview_key FROM game_assets WHERE id = ?')
    .bind(asset_id)
    .first<{ preview_key: string | null }>()
  return row?.preview_key
}

/** Whether the URL of the preview of a public asset is served now. */
export async function isServed(work: RequestContext, { asset_id, preview_key }: Seen): Promise<boolean> {
  const found = await findPreview(work, asset_id, preview_key, {})
  return found !== undefined && (await isStored(preview_key))
}

/** Whether there is an object under this key. */
export async function isStored(key: string): Promise<boolean> {
  return (await env.BUCKET.head(key)) !== null
}

/** The query that the service would give to the previews of an owner until `expires`, in Unix seconds. */
export async function signedQuery(owner: { id: string }, expires: number, secret?: string): Promise<string> {
  const { config } = configuration(env)
  if (!config) throw new Error('the tests run without a configuration')
  const access = secret === undefined ? config : { ...config, S3_SECRET_ACCESS_KEY: secret }
  return `?expires=${expires}&signature=${await signPreviews(access, owner.id, expires)}`
}
