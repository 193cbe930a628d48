import { z } from '@hono/zod-openapi'

/** The most entity tags in one header. */
const MAX_TAGS = 20

const OPAQUE_TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
const OPAQUE_TAGS = new RegExp(`^\\s*(?:\\*|${OPAQUE_TAG}(?:\\s*,\\s*${OPAQUE_TAG})*)\\s*$`)

/** The entity tag of a record at a revision (RFC 9110 §8.8.3). */
function entityTag(revision: number): string {
  return `"${revision}"`
}

/**
 * The headers of an answer that is a record at a revision. `no-transform` keeps the platform from compressing the
 * answer: compression would weaken the tag to `W/"3"`.
 */
export function entityTagHeaders(revision: number): { ETag: string; 'Cache-Control': string } {
  return { ETag: entityTag(revision), 'Cache-Control': 'no-store, no-transform' }
}

/**
 * A header of entity tags, read as the revisions that they name; null for `*`, which names any. A proxy that compresses
 * weakens a tag, and the service issues no weak ones, so `W/"3"` is read as `"3"`. A tag that was never issued names nothing.
 */
function entityTags(description: string) {
  return z
    .string()
    .regex(OPAQUE_TAGS, 'must be * or a list of entity tags in double quotes')
    .transform((header, context): number[] | null => {
      if (header.trim() === '*') return null
      const tags = tagsIn(header)
      if (tags.length <= MAX_TAGS) return revisionsOf(tags)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_TAGS} entity tags` })
      return z.NEVER
    })
    .optional()
    .openapi({ type: 'string', param: { in: 'header' }, description })
}

/** `If-Match` (RFC 9110 §13.1.1), read as the revisions that it allows. Null allows any, as a request without the header does. */
export const IfMatch = z.object({
  'if-match': entityTags(
    `The ETag of the record that this change is based on, or a list of at most ${MAX_TAGS}. When the record has changed since, the answer is PRECONDITION_FAILED.`,
  ),
})

/**
 * `If-None-Match` (RFC 9110 §13.1.2), read as the revisions that it names; null for `*`, which names any. `description` says
 * what the request does with it.
 */
export function ifNoneMatch(description: string) {
  return z.object({ 'if-none-match': entityTags(description) })
}

/** Whether an If-None-Match names an entity tag (without its quotes). The comparison is weak (RFC 9110 §13.1.2). */
export function isNamed(tag: string, header = ''): boolean {
  return header.trim() === '*' || tagsIn(header).includes(tag)
}

/** The text between the quotes of each tag. */
function tagsIn(header: string): string[] {
  return [...header.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag)
}

/** The revisions of the tags, each once. Tags that were never issued, such as `"03"` and `"other"`, are left out. */
function revisionsOf(tags: string[]): number[] {
  return [...new Set(tags.filter((tag) => /^[1-9]\d{0,14}$/.test(tag)).map(Number))]
}
