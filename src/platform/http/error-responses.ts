import { z } from '@hono/zod-openapi'
import { type ErrorCode, errorCodes, isErrorCode, limits, MAX_ERRORS } from '../errors.ts'

/** A member of a request that is not valid. */
const InvalidMember = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']),
    path: z.string().openapi({ description: 'JSON Pointer (RFC 6901)', example: '/name' }),
    message: z.string().openapi({ example: 'must have 1 to 255 characters.' }),
  })
  .openapi('InvalidMember')

/** A member of a problem document with QUOTA_EXCEEDED. */
function withQuota(what: string) {
  return z
    .int()
    .nonnegative()
    .optional()
    .openapi({ description: `With QUOTA_EXCEEDED: ${what}` })
}

/** RFC 9457 problem details. */
export const Problem = z
  .object({
    type: z.string().openapi({ description: 'The code as a URI', example: 'urn:problem:CODE' }),
    title: z
      .string()
      .openapi({ description: 'The same for each error of a code', example: 'The code in words' }),
    status: z.int().openapi({ description: 'The HTTP status', format: 'int32', example: 400 }),
    detail: z.string().openapi({
      description: 'What this case is, and what to do',
      example: 'What is known about this case, for people',
    }),
    code: z.enum(Object.keys(errorCodes)).openapi({ description: 'The code that a client decides by' }),
    request_id: z.string().openapi({
      description: 'Also in X-Request-Id and in the log',
      example: '7d0e3b0a-2f64-4f0e-9d5a-5f6b1c1e8a52',
    }),
    errors: z.array(InvalidMember).max(MAX_ERRORS).optional().openapi({
      description: 'With VALIDATION_FAILED. `detail` says how many are left out',
    }),
    limit: z
      .enum(Object.keys(limits))
      .optional()
      .openapi({ description: 'With LIMIT_REACHED: the name of the limit' }),
    used_bytes: withQuota('what is in use, in bytes; of saves, what can’t make room'),
    limit_bytes: withQuota('how much may be in use, in bytes'),
    needed_bytes: withQuota('what the request would have added to it, in bytes'),
  })
  .openapi('Problem')

/** An error of a route: its code or, for a problem document with members of its own, what `problemWith` returns. */
export type DeclaredError = ErrorCode | ReturnType<typeof problemWith>

/** The codes that every request to /v1 can get, besides VALIDATION_FAILED: the description's default response. */
const commonCodes = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'] as const
/** The codes of requests with a body that are in the default response too. */
const bodyCodes = ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const
/** The code of requests on behalf of a player, which is in the default response too. */
const onBehalfCodes = ['FORBIDDEN'] as const
/** The codes that say something of a token. */
const tokenCodes: readonly string[] = ['UNAUTHENTICATED', 'FORBIDDEN']

/**
 * The error responses of a route by status: its own errors, and those of every route of its kind, which has a body or needs no
 * token.
 */
export function errorResponses(
  errors: readonly DeclaredError[],
  kind?: 'json' | 'bytes' | 'public',
): Record<string, { $ref: string } | ReturnType<typeof problemWith>['response']> {
  const own = new Set<ErrorCode>([
    'VALIDATION_FAILED',
    ...errors.filter((error) => typeof error === 'string'),
  ])
  const hasBody = kind === 'json' || kind === 'bytes'
  // The default response does not apply to a status that has a response of its own.
  const statuses = new Set(inOrder.filter((code) => own.has(code)).map(statusOf))
  const others = [...(hasBody ? bodyCodes : []), ...(kind === 'public' ? [] : onBehalfCodes)]
  for (const code of others) if (statuses.has(statusOf(code))) own.add(code)
  if (kind === 'json') own.add('MALFORMED_JSON')
  const byStatus = Map.groupBy(
    inOrder.filter((code) => own.has(code)),
    statusOf,
  )
  const suffix = kind === 'bytes' ? 'WithBytes' : ''
  const standard = hasBody ? 'CommonWithBody' : kind === 'public' ? 'CommonWithoutToken' : 'Common'
  return {
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, referenceTo(codes, suffix)])),
    ...Object.fromEntries(
      errors.filter((error) => typeof error !== 'string').map((error) => [error.status, error.response]),
    ),
    default: { $ref: `#/components/responses/${standard}` },
  }
}

function statusOf(code: ErrorCode): number {
  return errorCodes[code][0]
}

/** All codes, in the order of the table. */
const inOrder = Object.keys(errorCodes).filter(isErrorCode)

/** The codes of each error response that a route refers to, by the response's name in the description. */
export const errorResponseCodes = new Map<string, readonly ErrorCode[]>([
  ['Common', commonCodes],
  ['CommonWithBody', [...commonCodes, ...bodyCodes]],
  ['CommonWithoutToken', commonCodes.filter((code) => !tokenCodes.includes(code))],
])

/** `suffix`: the end of the name of a response that only lacks MALFORMED_JSON. */
function referenceTo(codes: ErrorCode[], suffix: string): { $ref: string } {
  const name = codes[0] === 'VALIDATION_FAILED' && codes.length > 1 ? nameOf(codes) + suffix : nameOf(codes)
  const known = errorResponseCodes.get(name) ?? codes
  if (known.join() !== codes.join()) throw new Error(`two different error responses are named ${name}`)
  errorResponseCodes.set(name, codes)
  return { $ref: `#/components/responses/${name}` }
}

/** The name of an error response: its codes, without the two that most routes have. */
function nameOf(codes: ErrorCode[]): string {
  const distinctive = codes.filter((code) => code !== 'VALIDATION_FAILED' && code !== 'MALFORMED_JSON')
  return (distinctive.length > 0 ? distinctive : codes.slice(-1)).map(inPascalCase).join('Or')
}

function inPascalCase(code: string): string {
  return code.toLowerCase().replaceAll(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase())
}

/** An error whose problem document has members of its own. `name` is that of its schema. */
export function problemWith(code: ErrorCode, name: string, members: z.core.$ZodShape) {
  const [status, title] = errorCodes[code]
  const schema = Problem.extend({
    code: z.enum([code]),
    status: z.literal(status).openapi({ type: 'integer', format: 'int32', enum: [status] }),
    ...members,
  }).openapi(name)
  const content = { 'application/problem+json': { schema } }
  return { code, status, response: { description: `\`${code}\`: ${title}`, content } }
}
