import { env } from 'cloudflare:test'
import { signedMetadata } from '../../src/features/uploads/signed-headers.ts'

export const bytes = (text: string) => new TextEncoder().encode(text)

/**
 * Puts an upload's content under its key, as R2 stores the content after the client's PUT. A number means content of this
 * many bytes. `different` has further options of the PUT.
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
