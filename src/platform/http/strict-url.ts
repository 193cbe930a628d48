import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { ApiError } from '../errors.ts'

const NOT_ENCODED = 'must be UTF-8 in percent-encoding: write % as %25.'

/**
 * Rejects a path that is not UTF-8 in percent-encoding (RFC 3986 §2.1). Hono leaves such a segment as it is, so `%FF` would be
 * another spelling of the id `%25FF`. A parameter of the query that is not becomes null, which no schema takes: its route
 * rejects it with the code of the parameter, and an unknown one is ignored.
 *
 * @throws VALIDATION_FAILED
 */
export const strictUrl = createMiddleware((c, next) => {
  if (!c.req.url.includes('%')) return next()
  const { pathname, search } = new URL(c.req.url)
  if (decoded(pathname) === undefined)
    throw new ApiError('VALIDATION_FAILED', {
      detail: `path: ${NOT_ENCODED}`,
      errors: [{ in: 'path', path: '', message: NOT_ENCODED }],
    })
  const malformed = search
    .slice(1)
    .split('&')
    .filter((parameter) => decoded(parameter) === undefined)
    .map((parameter) => [decoded(parameter.replace(/=.*/, '')), [null]])
  if (malformed.length > 0) {
    const queries = new Map(Object.entries({ ...c.req.queries(), ...Object.fromEntries(malformed) }))
    const value = (name?: string) => (name === undefined ? Object.fromEntries(queries) : queries.get(name))
    Object.defineProperty(c.req, 'queries', { value })
  }
  return next()
})

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** An issue of a query. One of a parameter that is malformed or repeated says that: a schema only sees that it has no text. */
export function queryIssue(c: Context, issue: z.core.$ZodIssue): z.core.$ZodIssue {
  const [name, ...within] = issue.path
  const values: unknown[] = c.req.queries(String(name)) ?? []
  if (values.includes(null)) return { ...issue, message: NOT_ENCODED }
  const takesMany = within.length > 0 || ('origin' in issue && issue.origin === 'array')
  if (values.length < 2 || takesMany) return issue
  return { ...issue, message: `must be sent once: it is here ${values.length} times.` }
}
