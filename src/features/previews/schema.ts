import { z } from '@hono/zod-openapi'
import { Id } from '../../platform/http/fields.ts'
import { MIB } from '../../platform/lib/byte-units.ts'

/** The most bytes of a preview. */
export const MAX_PREVIEW_BYTES = MIB

/** The path of a preview. */
export const PreviewPath = z.object({
  asset_id: Id.openapi({ param: { name: 'asset_id', in: 'path' } }),
  preview_id: Id.openapi({ param: { name: 'preview_id', in: 'path' } }),
})

/** The query of the URL of a preview. A value that the service did not issue is a wrong signature. */
export const PreviewQuery = z.object({
  expires: z
    .string()
    .optional()
    .openapi({ description: 'Until when the signature is valid, in Unix seconds' }),
  signature: z.string().optional().openapi({
    description: 'Of the URL of an asset that is not public. Ignored once the asset is public',
  }),
})
