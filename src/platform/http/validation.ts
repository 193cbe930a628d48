import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { ApiError, type ErrorCode, type InvalidMember, isErrorCode, MAX_ERRORS } from '../errors.ts'

/** The most characters of a path or a message in an answer: both may repeat a member name of any length from the request. */
const MAX_LENGTH = 200

/** A number that `parseJson` (body.ts) keeps as it is written. A schema names its class. */
const UNHELD = 'received one that would come back with other digits'

/**
 * The error for the issues that a schema found in a part of a request. Its code is that of the first issue with one (see
 * `reject`), else VALIDATION_FAILED. `errors` has up to MAX_ERRORS issues, that one included; `detail` says how many are
 * left out.
 */
export function validationError(issues: z.core.$ZodIssue[], place: InvalidMember['in']): ApiError {
  const coded = issues.find((issue) => codeOf(issue) !== undefined)
  const named = issues.slice(0, MAX_ERRORS)
  if (coded && !named.includes(coded)) named.splice(-1, 1, coded)
  const errors = named.map((issue) => memberOf(issue, place))
  const detail =
    coded?.message ?? errors.map(({ path, message }) => `${path.slice(1) || place}: ${message}`).join(' ')
  const left = issues.length - named.length
  return new ApiError((coded && codeOf(coded)) ?? 'VALIDATION_FAILED', {
    detail: left === 0 ? detail : `${detail} And ${left} more.`,
    errors,
  })
}

/** Rejects a value, or a member of it, with a code of the error table. For a schema's `transform`. */
export function reject(context: z.RefinementCtx, code: ErrorCode, message: string, member?: string): never {
  context.addIssue({ code: 'custom', params: { code }, message, path: member === undefined ? [] : [member] })
  return z.NEVER
}

function codeOf(issue: z.core.$ZodIssue): ErrorCode | undefined {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined
  return typeof code === 'string' && isErrorCode(code) ? code : undefined
}

function memberOf(issue: z.core.$ZodIssue, place: InvalidMember['in']): InvalidMember {
  const path = issue.path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const message = shortened(issue.message.replace('received LosslessNumber', UNHELD))
  return { in: place, path: shortened(path), message: /[.…]$/.test(message) ? message : `${message}.` }
}

/** The first MAX_LENGTH characters of a text. */
function shortened(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1).toWellFormed()}…`
}

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
