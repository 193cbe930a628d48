import { z } from '@hono/zod-openapi'
import { Cursor, FilePageLimit, page } from '../../platform/http/fields.ts'
import { ListedFile } from '../files/schema.ts'

/** The query of a list of the trash. */
export const ListTrash = z.object({ limit: FilePageLimit, cursor: Cursor })
export type ListTrash = z.output<typeof ListTrash>

/** The answer to a list of the trash. */
export const TrashPage = page({
  files: z
    .array(ListedFile)
    .openapi({ description: 'Items that were deleted directly, latest deletion first' }),
}).openapi('TrashPage')
