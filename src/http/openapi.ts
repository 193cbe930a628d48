import { type Hook, OpenAPIHono, z } from '@hono/zod-openapi'
import { requireScope } from '../auth/scope.ts'
import type { Scope } from '../auth/scopes.ts'
import type { AppEnv } from '../context.ts'
import { type ErrorCode, errorCodes } from '../errors.ts'
import { invalid } from './validation.ts'

/** The part of a request that each of Hono's validation targets stands for. */
const parts = {
  json: 'body',
  query: 'query',
  param: 'path',
  header: 'header',
  cookie: 'header',
  form: 'body',
} as const

const validationHook: Hook<unknown, AppEnv, string, void> = (result) => {
  if (!result.success) throw invalid(result.error.issues, parts[result.target])
}

/** Creates a feature's router. A request that a route's schemas reject is answered with a problem document. */
export function createRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({ defaultHook: validationHook })
}

/** The members of an operator's route: it requires a token with a scope. A route with a body adds to `middleware`. */
export function operatorRoute(scope: Scope) {
  return { tags: ['Operators'], security: [{ bearer: [scope] }], middleware: requireScope(scope) }
}

/** The codes that every request to /v1 can get. */
const commonCodes = [
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
] as const
/** The codes that every request with a body can get. */
const bodyCodes = ['MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const

/** The errors of a creation that takes an Idempotency-Key. */
export const creationErrors = ['LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'] as const

/** The error responses of a route: the given codes, and those of every route. */
export function errorResponses(...codes: ErrorCode[]): Record<never, never> {
  const byStatus = Map.groupBy(new Set([...codes, ...commonCodes]), (code) => errorCodes[code][0])
  return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [status, problem(status, ofStatus)]))
}

/** As `errorResponses`, for a route with a body. */
export function errorResponsesWithBody(...codes: ErrorCode[]): Record<never, never> {
  return errorResponses(...codes, ...bodyCodes)
}

function problem(status: number, codes: ErrorCode[]) {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}`).join('; '),
    content: { 'application/problem+json': { schema: Problem } },
    'x-problem-codes': codes,
    ...(status === 401 && { headers: challengeHeader }),
    ...((status === 429 || status === 503) && { headers: retryHeader }),
  }
}

// Built once for all routes, because each schema costs start-up time.
const challengeHeader = z.object({ 'WWW-Authenticate': z.string() })
const retryHeader = z.object({ 'Retry-After': z.string() })

const allCodes = Object.keys(errorCodes)

/** RFC 9457 problem details. */
const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(allCodes).openapi({ description: 'The thing to switch on' }),
    request_id: z.string(),
    errors: z
      .array(
        z.object({
          in: z.enum(['body', 'query', 'path', 'header']),
          path: z.string().openapi({ description: 'JSON Pointer (RFC 6901) to the member' }),
          message: z.string(),
        }),
      )
      .optional(),
    limit: z.string().optional().openapi({ description: 'With LIMIT_REACHED: the name of the limit' }),
  })
  .openapi('Problem')

/** A JSON response. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

/** A required JSON body. */
export function jsonRequest<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** An optional JSON body. Without it, the validated body is `{}`: the schema does not run. */
export function optionalJson<Schema extends z.ZodType>(schema: Schema) {
  return { content: jsonRequest(schema).content }
}

/** A body without members. Unknown ones are ignored, as everywhere. */
export const NoMembers = z.object({})

/** The ETag of a record, for If-Match. */
export const entityTagHeader = z.object({ ETag: z.string().openapi({ example: '"3"' }) })

/** The path of the created record. */
export const locationHeader = z.object({ Location: z.string() })
