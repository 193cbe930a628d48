import { env } from 'cloudflare:test'
import { signedMetadata } from '../../src/features/uploads/signed-headers.ts'

export const bytes = (text: string) => new TextEncoder().encode(text)

/**
 * Puts an upload's content where its signed URL leads, as R2 keeps it after the client's PUT. A number stands for
 * content of that many bytes. `different`: what else R2 is told.
 */
export const arrive = (
  upload_id: string,
  content: number | string | Uint8Array = 3,
  mime_type = 'text/plain',
  different: R2PutOptions = {},
) =>
  env.BUCKET.put(upload_id, typeof content === 'number' ? 'x'.repeat(content) : content, {
    ...different,
    ...signedMetadata(upload_id, mime_type),
  })
