import { z } from '@hono/zod-openapi'
import { ListedFile } from '../files/schema.ts'
import { Cursor, FilePageLimit, page } from '../http/fields.ts'

export const ListTrash = z.object({
  limit: FilePageLimit,
  cursor: Cursor,
})
export type ListTrash = z.output<typeof ListTrash>

export const TrashPage = page({
  files: z
    .array(ListedFile)
    .openapi({ description: 'Items that were deleted directly, latest deletion first' }),
}).openapi('TrashPage')
