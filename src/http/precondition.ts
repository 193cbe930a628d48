import { z } from '@hono/zod-openapi'

/** The revisions that If-Match allows; null when the header is absent or `*`, which any revision satisfies. */
export type ExpectedRevisions = number[] | null

const OPAQUE_TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
const IF_MATCH = new RegExp(`^\\s*(?:\\*|${OPAQUE_TAG}(?:\\s*,\\s*${OPAQUE_TAG})*)\\s*$`)

/** The entity tag of a record at a revision (RFC 9110 §8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`
}

/** `If-Match` (RFC 9110 §13.1.1), read as the revisions that it allows. A weak tag matches nothing. */
export const IfMatch = z.object({
  'if-match': z
    .string()
    .regex(IF_MATCH, 'must be * or a list of entity tags in double quotes')
    .transform((header): ExpectedRevisions => (header.trim() === '*' ? null : revisionsIn(header)))
    .optional()
    .openapi({
      type: 'string',
      param: { in: 'header' },
      description: 'The ETag of the record that this change is based on; refused when it has changed since.',
      example: '"3"',
    }),
})

function revisionsIn(header: string): number[] {
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter(([, weak, tag]) => !weak && /^[1-9]\d{0,14}$/.test(tag ?? ''))
    .map(([, , tag]) => Number(tag))
}
