import { z } from '@hono/zod-openapi'
import { entityTags, tagsIn } from './if-match.ts'

/**
 * `If-None-Match` (RFC 9110 §13.1.2), read as the revisions that it names; null for `*`, which names any. `description` says
 * what the request does with it.
 */
export function ifNoneMatch(description: string) {
  return z.object({ 'if-none-match': entityTags(description) })
}

/** Whether an If-None-Match names an entity tag without its quotes. The comparison is weak (RFC 9110 §13.1.2). */
export function isNamed(tag: string, header = ''): boolean {
  return header.trim() === '*' || tagsIn(header).includes(tag)
}
