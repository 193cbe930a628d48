import { type Hook, OpenAPIHono, z } from '@hono/zod-openapi'
import { requireScope } from '../auth/scope.ts'
import type { Scope } from '../auth/scopes.ts'
import type { AppEnv } from '../context.ts'
import { type ErrorCode, errorCodes, isErrorCode } from '../errors.ts'
import { Problem } from './problem-schema.ts'
import { references } from './response-headers.ts'
import { queryIssue } from './strict-url.ts'
import { validationError } from './validation.ts'

/** The part of a request that each of Hono's validation targets validates. */
const parts = {
  json: 'body',
  query: 'query',
  param: 'path',
  header: 'header',
  cookie: 'header',
  form: 'body',
} as const

const validationHook: Hook<unknown, AppEnv, string, void> = (result, c) => {
  if (result.success) return
  const { issues } = result.error
  const told = result.target === 'query' ? issues.map((issue) => queryIssue(c, issue)) : issues
  throw validationError(told, parts[result.target])
}

/** Creates a feature's router. A request that a route's schemas reject is answered with a problem document. */
export function createRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({ defaultHook: validationHook })
}

/**
 * The members that operators' routes share. They require a token with a scope. A route with a body adds its parser to
 * `middleware`.
 */
export function operatorRoute(scope: Scope, tag = 'Operators') {
  return { tags: [tag], 'x-scopes': [scope], middleware: requireScope(scope) }
}

/** The codes that every request to /v1 can get, beside VALIDATION_FAILED: the description's default response. */
const commonCodes = ['UNAUTHENTICATED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'] as const
/** The codes of requests with a body that are in the default response too. */
const bodyCodes = ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const

/** The errors of a creation that takes an Idempotency-Key. */
export const creationErrors = ['LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'] as const

/** The error responses of a route: the given codes, and those of every route. */
export function errorResponses(...codes: ErrorCode[]): Record<never, never> {
  return responsesOf(codes, 'Common')
}

/** The error responses of a route without a token: the given codes, and those of every such route. */
export function publicErrorResponses(...codes: ErrorCode[]): Record<never, never> {
  return responsesOf(codes, 'CommonWithoutToken')
}

/** The error responses of a route with a body: as `errorResponses`, with the errors of reading the body. */
export function errorResponsesWithBody(...codes: ErrorCode[]): Record<never, never> {
  return responsesOf(['MALFORMED_JSON', ...codes, ...bodyCodesIn(codes)], 'CommonWithBody')
}

/** The error responses of a route whose body is bytes: as `errorResponsesWithBody`, without the errors of JSON. */
export function errorResponsesWithBytes(...codes: ErrorCode[]): Record<never, never> {
  return responsesOf([...codes, ...bodyCodesIn(codes)], 'CommonWithBody', 'WithBytes')
}

/** The codes of a body whose status one of the given codes has: the default response does not apply to such a status. */
function bodyCodesIn(codes: ErrorCode[]): ErrorCode[] {
  const statuses = new Set(codes.map(statusOf))
  return bodyCodes.filter((code) => statuses.has(statusOf(code)))
}

/** `suffix`: the end of the name of a response that only lacks MALFORMED_JSON. */
function responsesOf(codes: ErrorCode[], standard: string, suffix = ''): Record<never, never> {
  const own = new Set<ErrorCode>(['VALIDATION_FAILED', ...codes])
  const byStatus = Map.groupBy(
    inOrder.filter((code) => own.has(code)),
    statusOf,
  )
  const responses = [...byStatus].map(([status, ofStatus]) => [status, referenceTo(ofStatus, suffix)])
  return { ...Object.fromEntries(responses), default: { $ref: `#/components/responses/${standard}` } }
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
  ['CommonWithoutToken', commonCodes.filter((code) => code !== 'UNAUTHENTICATED')],
])

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

/** An error response with one code, whose problem document has members of its own. `name` is that of its schema. */
export function problemWith<Members extends z.core.$ZodShape>(
  code: ErrorCode,
  name: string,
  members: Members,
) {
  const [status, title] = errorCodes[code]
  const schema = Problem.extend({
    code: z.enum([code]),
    status: z.literal(status).openapi({ type: 'integer', format: 'int32', enum: [status] }),
    ...members,
  }).openapi(name)
  return { description: `\`${code}\`: ${title}`, content: { 'application/problem+json': { schema } } }
}

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

/** Content of any type, in a request or an answer. */
const anyBytes = {
  '*/*': { schema: { 'x-name': 'Bytes', type: 'string', format: 'binary', example: 'The content' } },
} as const

/** A required body of bytes, whose type is the request's Content-Type. */
export const bytesRequest = { required: true, content: anyBytes } as const

/** A response of bytes, whose type is the answer's Content-Type. */
export function bytes(description: string) {
  return { description, content: anyBytes }
}

/** A body without members. Unknown members are ignored, as in every body. */
export const NoMembers = z.object({}).openapi('NoMembers', { example: {} })

/** The headers of a response with a record that `If-Match` can name. */
export const entityTagHeader = references('ETag')

/** The headers of a response that is current at a `seq` of the inbox. */
export const inboxSeqHeader = references('X-Inbox-Seq')

/** The headers of a response to a creation. */
export const locationHeader = references('Location')
