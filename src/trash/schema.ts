import { z } from '@hono/zod-openapi'
import { ListedFile } from '../files/schema.ts'
import { Cursor, NextCursor } from '../http/fields.ts'
import { FilePageLimit } from '../http/paging.ts'

export const ListTrash = z.object({
  limit: FilePageLimit,
  cursor: Cursor,
})
export type ListTrash = z.output<typeof ListTrash>

export const TrashList = z.object({
  files: z
    .array(ListedFile)
    .openapi({ description: 'What was deleted directly, most recent deletion first' }),
  next_cursor: NextCursor,
})
