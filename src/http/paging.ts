import { z } from '@hono/zod-openapi'
import { integer } from '../lib/integer.ts'
import { Cursor } from './fields.ts'

/** `limit` of a list that holds up to `max` a page. */
function pageLimit(standard: number, max: number) {
  return integer(1, max)
    .default(standard)
    .openapi({ type: 'integer', minimum: 1, maximum: max, default: standard })
}

/** `limit` of the lists of files and of the trash (decisions, "Conventions"). */
export const FilePageLimit = pageLimit(100, 500)

/** `limit` of every other list. */
export const PageLimit = pageLimit(50, 100)

/** What a list takes that has no filters. */
export const PageQuery = z.object({ limit: PageLimit, cursor: Cursor })
export type PageQuery = z.output<typeof PageQuery>
