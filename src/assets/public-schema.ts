import { z } from '@hono/zod-openapi'
import { Cursor, IdInPath, PageLimit } from '../http/fields.ts'
import { AssetType } from './schema.ts'

const MAX_QUERY = 100

export const PublicAssetId = z.object({
  type: AssetType.openapi({ param: { name: 'type', in: 'path' } }),
  id: IdInPath,
})

export const BrowseAssets = z.object({
  type: AssetType.optional(),
  q: z
    .string()
    .refine((q) => q !== '' && [...q].length <= MAX_QUERY, `must have 1 to ${MAX_QUERY} characters`)
    .optional()
    .openapi({
      minLength: 1,
      maxLength: MAX_QUERY,
      description:
        'Taken literally, case and accents forgiven. Finds names that contain it; when it is shorter than three characters, those that begin with it. A page looks through a limited number of names: it may be short, or empty, and have a next_cursor that goes on',
    }),
  limit: PageLimit,
  cursor: Cursor,
})
export type BrowseAssets = z.output<typeof BrowseAssets>
