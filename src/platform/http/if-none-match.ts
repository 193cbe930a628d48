import { z } from '@hono/zod-openapi'
import { entityTag, OPAQUE_TAGS, tagsIn } from './if-match.ts'

/** Whether a client already has the answer at a revision. */
export type Known = (revision: number) => boolean

/**
 * `If-None-Match` (RFC 9110 §13.1.2) of a request that reads, as the condition under which the answer is 304. The comparison is
 * weak, as there.
 */
export const IfNoneMatch = z.object({
  'if-none-match': z
    .string()
    .regex(OPAQUE_TAGS, 'must be * or a list of entity tags in double quotes')
    .transform((header): Known => {
      if (header.trim() === '*') return () => true
      const known = new Set(tagsIn(header).map((tag) => `"${tag}"`))
      return (revision) => known.has(entityTag(revision))
    })
    .optional()
    .openapi({
      type: 'string',
      param: { in: 'header' },
      description:
        'The ETag of the content that the client has. When it is still the same, the answer is 304.',
    }),
})
