import { type Hook, OpenAPIHono, z } from '@hono/zod-openapi'
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

/** Codes that any request to /v1 can meet, whatever it asks for. */
const anywhere = ['VALIDATION_FAILED', 'UNAUTHENTICATED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'] as const
/** And those that a request with a body can meet. */
const withBody = ['MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const

/** The answers of a route that refuses: the given codes and those that every route can answer. */
export function errorResponses(...codes: ErrorCode[]): Record<never, never> {
  const byStatus = Map.groupBy(new Set([...codes, ...anywhere]), (code) => errorCodes[code][0])
  return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [status, problem(status, ofStatus)]))
}

/** As `refusals`, for a route that takes a body. */
export function errorResponsesWithBody(...codes: ErrorCode[]): Record<never, never> {
  return errorResponses(...codes, ...withBody)
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

/** Built once: a schema costs start-up time, and every route has these. */
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

/** A JSON answer. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

/** A JSON body that has to be there. */
export function jsonRequest<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** A JSON body that need not be there: without one, `{}`. */
export function optionalJson<Schema extends z.ZodType>(schema: Schema) {
  return { content: jsonRequest(schema).content }
}

/** A body of which no member is read; unknown ones are ignored as everywhere. */
export const NoMembers = z.object({})

/** The ETag of a record, to be sent back in If-Match. */
export const entityTagHeader = z.object({ ETag: z.string().openapi({ example: '"3"' }) })

/** Where the thing that was made can be read. */
export const locationHeader = z.object({ Location: z.string() })
