import { z } from '@hono/zod-openapi'
import * as schema from '../../src/features/uploads/schema.ts'

const { method, url, url_expires_at, headers } = schema.SingleUpload.shape
const { multipart } = schema.MultipartUpload.shape

/** The members of an upload, whatever its state. */
export const AnyUpload = schema.UploadRecord.extend({
  state: z.enum(['open', 'processing', 'completed', 'failed']),
  ...z.object({ method, url, url_expires_at, headers, multipart }).partial().shape,
})

/** An upload of whatever state, for a test that knows which one it is; it has to be one that the service describes. */
export const Upload = AnyUpload.refine((upload) => schema.Upload.safeParse(upload).success)
export type Upload = z.output<typeof Upload>
