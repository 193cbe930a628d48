import { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { requireScope } from '../auth/authenticate.ts'
import type { Scope } from '../auth/scopes.ts'
import type { AppEnv, ReceivedBytes } from '../context.ts'
import type { IdempotencyKey } from '../db/idempotency.ts'
import type { ErrorCode, InvalidMember } from '../errors.ts'
import { type Act, AuditReason, audited, type Concern, namedIn } from './audited.ts'
import { BytesBody, ContentDigest, jsonReader } from './body.ts'
import { entityTagHeaders, IfMatch } from './entity-tags.ts'
import { type DeclaredError, errorResponses } from './error-responses.ts'
import { IdempotencyKeyHeader, idempotencyKey } from './idempotency-key.ts'
import { isOnBehalf, type OnBehalf, onBehalf, rejectOnBehalf } from './on-behalf.ts'
import { type HeaderName, type OptionalHeader, references } from './response-headers.ts'
import { queryIssue, validationError } from './validation.ts'

/** The routes of a feature: their tag in the description, and how their handlers get a context from Hono's. */
export class Router<Ctx> extends OpenAPIHono<AppEnv> {
  readonly tag: string
  readonly contextOf: (c: Context<AppEnv>) => Ctx
  /** Whether the scopes `saves:read` and `saves:write` allow its requests on behalf of a player. */
  readonly isOfSaves: boolean

  constructor(tag: string, contextOf: (c: Context<AppEnv>) => Ctx, { isOfSaves = false } = {}) {
    super()
    this.tag = tag
    this.contextOf = contextOf
    this.isOfSaves = isOfSaves
  }
}

/** The inputs and answers of a route. Errors that follow from a member, such as those of a body, are not declared again. */
interface Declaration<
  Params = z.ZodObject | undefined,
  Query = z.ZodObject | undefined,
  Headers = z.ZodObject | undefined,
  Conditional = true | undefined,
  Idempotent = true | undefined,
  Body = z.ZodType | BytesBody<unknown> | undefined,
  OptionalBody = z.ZodType | undefined,
  Answers = DeclaredAnswers,
> {
  summary: string
  /** Details that the summary leaves out. The description of a route with a scope ends with the scope. */
  description?: string
  /** The tag of the route, if it is not that of its router. */
  tag?: string
  /** The scope that the caller's token must have, else FORBIDDEN. What changes something under a scope is an entry of the audit. */
  scope?: Scope
  /** What a player's route does on behalf of a player, unless GET reads and the other methods change something. */
  onBehalf?: OnBehalf
  params?: Params
  query?: Query
  headers?: Headers
  /** Takes `If-Match`, as `expected`. */
  ifMatch?: Conditional
  /** Takes an `Idempotency-Key`, as `key`, which is bound to the JSON body. */
  idempotent?: Idempotent
  /** A JSON body, or bytes. */
  body?: Body
  /** A JSON body that may be missing, and then counts as `{}`. */
  optionalBody?: OptionalBody
  /** The largest JSON body; 64 KiB by default. */
  max_body_kib?: number
  answers: Answers
  /** The errors besides those that follow from the other members, and those of every route. */
  errors?: readonly DeclaredError[]
}

/** By status: the description; for JSON its schema, its description and its headers (`ETag?`: not always); for other content as in OpenAPI. */
type DeclaredAnswers = Record<
  number,
  string | readonly [z.ZodType, string, ...(HeaderName | OptionalHeader)[]] | ContentAnswer
>

/** An answer that is not JSON. Its handler returns a Response. */
interface ContentAnswer {
  description: string
  headers?: ReturnType<typeof references>
  content?: Record<string, { schema: object }>
}

/** Content of any type, as an answer. */
export function bytes(description: string, ...headers: HeaderName[]): ContentAnswer {
  return { description, headers: references(...headers), content: anyBytes }
}

const anyBytes = {
  '*/*': { schema: { 'x-name': 'Bytes', type: 'string', format: 'binary', example: 'The content' } },
} as const

/** A body without members. Unknown members are ignored, as in every body. */
export const NoMembers = z.object({}).openapi('NoMembers', { example: {} })

/** The valid parts of a request. A part that the route does not declare is `never`. */
interface Input<Params, Query, Headers, Conditional, Idempotent, Body> {
  params: OutputOf<Params>
  query: OutputOf<Query>
  headers: OutputOf<Headers>
  body: Body extends BytesBody<infer Type> ? ReceivedBytes & { mime_type: Type } : OutputOf<Body>
  key: Idempotent extends true ? IdempotencyKey | undefined : never
  /** The revisions that `If-Match` names; null: any; undefined: no header, which allows any unless the rule says otherwise. */
  expected: Conditional extends true ? z.output<typeof IfMatch>['if-match'] : never
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : never

/**
 * The return type of a handler: a record for the status 200, undefined for 204, a Reply for any status and headers, a Response
 * for content that is not JSON.
 */
type Answer<Answers> = {
  [Status in keyof Answers]: Answers[Status] extends ContentAnswer
    ? Response
    : Status extends Success
      ? ReplyTo<Status, Answers[Status]>
      : never
}[keyof Answers]

type ReplyTo<Status extends Success, Declared> = Declared extends readonly [
  infer Schema,
  string,
  ...infer Names,
]
  ?
      | Reply<Status, OutputOf<Schema>, Record<Names[number] & HeaderName, string>>
      | (Status extends 200 ? (Names extends [] ? OutputOf<Schema> : never) : never)
  : Reply<Status, null>

/** The status of an answer that is a `Reply`. */
type Success = 200 | 201 | 202 | 204

/** An answer with a status and headers; without content if its body is null. */
export class Reply<
  Status extends Success,
  Body,
  Headers extends Record<string, string> = Record<never, string>,
> {
  readonly status: Status
  readonly body: Body
  readonly headers: Headers

  constructor(status: Status, body: Body, headers: Headers) {
    this.status = status
    this.body = body
    this.headers = headers
  }

  response(c: Context<AppEnv>): Response {
    const status: Success = this.status
    const body = this.body ?? null
    if (body === null || status === 204) return c.body(null, status, this.headers)
    return c.json(body, status, this.headers)
  }
}

/** An answer with a new record: the path of the record, where it has one, and its ETag, where it has a revision. */
export function created<Body>(body: Body): Reply<201, Body>
export function created<Body>(body: Body, path: string): Reply<201, Body, { Location: string }>
export function created<Body>(
  body: Body,
  path: string,
  revision: number,
): Reply<201, Body, { Location: string; ETag: string }>
export function created(body: unknown, path?: string, revision?: number): Reply<201, unknown> {
  return new Reply<201, unknown>(201, body, {
    ...(path !== undefined && { Location: path }),
    ...(revision !== undefined && entityTagHeaders(revision)),
  })
}

/** An answer with a record and the ETag of its revision. */
export function withETag<Body>(body: Body, revision: number): Reply<200, Body, { ETag: string }> {
  return new Reply<200, Body, { ETag: string }>(200, body, entityTagHeaders(revision))
}

/**
 * Declares a route and serves it. `at` has the whole path, such as `GET /v1/files/{id}`. The scope is checked first; then the
 * body is read; then query, path, headers and body are validated, in this order. Only a valid request reaches the handler, with
 * the router's context, and with Hono's for what neither has.
 */
export function route<
  Ctx,
  Answers extends DeclaredAnswers,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Headers extends z.ZodObject | undefined = undefined,
  Conditional extends true | undefined = undefined,
  Idempotent extends true | undefined = undefined,
  Body extends z.ZodType | BytesBody<unknown> | undefined = undefined,
  OptionalBody extends z.ZodType | undefined = undefined,
>(
  router: Router<Ctx>,
  at: `${Uppercase<(typeof methods)[number]>} /${string}`,
  operationId: string,
  declaration: Declaration<Params, Query, Headers, Conditional, Idempotent, Body, OptionalBody, Answers> & {
    /**
     * What the entry of the audit says of an act under the scope, beside `user_id` and `id` of the path. Undefined: such a request
     * changes nothing and leaves no entry. `false`: none does.
     */
    audit?:
      | false
      | ((
          input: Input<Params, Query, Headers, Conditional, Idempotent, Body | OptionalBody>,
        ) => Partial<Concern> | undefined)
    handle: (
      ctx: Ctx,
      input: Input<Params, Query, Headers, Conditional, Idempotent, Body | OptionalBody>,
      c: Context<AppEnv>,
    ) =>
      | Answer<Answers>
      | Promise<Answer<Answers>>
      | (Answers extends { 204: string } ? Promise<void> : never)
  },
): void {
  const method = methods.find((name) => at.startsWith(name.toUpperCase())) ?? 'get'
  const path = at.slice(at.indexOf('/'))
  const { scope, audit } = declaration
  const isAudited = scope !== undefined && method !== 'get' && audit !== false
  const parts = { ...declaration, headers: headersOf(declaration, isAudited), body: bodyOf(declaration) }
  const { summary, description, tag = router.tag, params, query, headers, body } = parts
  const isPublic = !path.startsWith('/v1/')
  const isOfPlayers = !isPublic && scope === undefined
  const does = declaration.onBehalf ?? (method === 'get' ? 'reads' : 'changes')
  router.openAPIRegistry.registerPath({
    method,
    path,
    operationId,
    summary,
    description: [description, scope && `Requires a token with the scope \`${scope}\`.`]
      .filter(Boolean)
      .join(' '),
    tags: [tag],
    ...(scope && { 'x-scopes': [scope] }),
    ...(isOfPlayers && does !== 'never' && { 'x-on-behalf': true }),
    ...(isPublic && { security: [] }),
    request: { params, query, headers, ...(body && { body: body.described }) },
    responses: {
      ...Object.fromEntries(Object.entries(declaration.answers).map(describedAnswer)),
      ...errorResponses(errorsOf(declaration), isPublic ? 'public' : body?.kind),
    },
  })
  router.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    if (scope) requireScope(c.get('caller'), scope)
    const act: Act = async (begin) => {
      if (scope) rejectOnBehalf(c)
      const input: Input<Params, Query, Headers, Conditional, Idempotent, Body | OptionalBody> =
        await inputOf(parts, await body?.read(c), c)
      await begin?.(concernOf(input.headers, audit ? audit(input) : {}))
      const answer = await declaration.handle(router.contextOf(c), input, c)
      if (answer instanceof Response) return answer
      if (answer instanceof Reply) return answer.response(c)
      return answer === undefined ? c.body(null, 204) : c.json(answer ?? null)
    }
    const named = () => namedIn(params?.safeParse(c.req.param()).data)
    if (isOfPlayers && isOnBehalf(c))
      return onBehalf(c, { does, isOfSaves: router.isOfSaves, action: operationId, named }, act)
    if (!isAudited) return act()
    return audited(c, { scope, action: operationId, named: named() }, act)
  })
}

/** What an act concerns, of which its route says `said`. The header has the reason, if it is given. */
function concernOf(
  headers: { 'audit-reason'?: string | null } | undefined,
  said: Partial<Concern> | undefined,
): Partial<Concern> | undefined {
  const reason = headers?.['audit-reason']
  return said && { ...said, ...(reason && { reason }) }
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The headers that a route takes; undefined when it takes none. */
function headersOf(
  { idempotent, ifMatch, headers, body }: Declaration,
  isAudited: boolean,
): z.ZodObject | undefined {
  const shape = {
    ...headers?.shape,
    ...(isAudited && AuditReason.shape),
    ...(idempotent && IdempotencyKeyHeader.shape),
    ...(ifMatch && IfMatch.shape),
    ...(body instanceof BytesBody && ContentDigest.shape),
  }
  return Object.keys(shape).length > 0 ? z.object(shape) : undefined
}

/** The description and the reader of a body. `read` returns a function that validates the body. */
interface ReadBody {
  kind: 'json' | 'bytes'
  described: { required?: true; content: Record<string, { schema: object }> }
  read: (c: Context<AppEnv>) => Promise<() => unknown>
}

function bodyOf({ body, optionalBody, max_body_kib = 64 }: Declaration): ReadBody | undefined {
  if (body instanceof BytesBody)
    return { kind: 'bytes', described: { required: true, content: anyBytes }, read: (c) => body.read(c) }
  const schema = body ?? optionalBody
  if (schema === undefined) return undefined
  const readJson = jsonReader(max_body_kib)
  return {
    kind: 'json',
    described: { ...(body && { required: true }), content: { 'application/json': { schema } } },
    read: async (c) => {
      const json = await readJson(c)
      return () => parsed(schema, json, 'body')
    },
  }
}

function describedAnswer([status, answer]: [string, Declaration['answers'][number]]): [
  string,
  ContentAnswer,
] {
  if (typeof answer === 'string') return [status, { description: answer }]
  if ('description' in answer) return [status, answer]
  const [schema, description, ...names] = answer
  const headers = names.length > 0 && { headers: references(...names) }
  return [status, { description, content: { 'application/json': { schema } }, ...headers }]
}

/** The errors of a route, with those that follow from what it takes. */
function errorsOf({ errors = [], query, scope, idempotent, ifMatch, body }: Declaration): DeclaredError[] {
  const isDeclared = errors.some((error) => typeof error === 'object' && error.code === 'PRECONDITION_FAILED')
  const following: (ErrorCode | false | undefined)[] = [
    scope && 'FORBIDDEN',
    query && 'cursor' in query.shape && 'INVALID_CURSOR',
    idempotent && 'IDEMPOTENCY_KEY_REUSED',
    body instanceof BytesBody && 'UPLOAD_MISMATCH',
    ifMatch && !isDeclared && 'PRECONDITION_FAILED',
  ]
  return [...errors, ...following.filter((code) => code !== undefined && code !== false)]
}

/** The valid parts of a request. @throws the error of the first part that is not valid */
async function inputOf<Params, Query, Headers, Conditional, Idempotent, Body>(
  parts: Omit<Declaration, 'body'>,
  validBody: (() => unknown) | undefined,
  c: Context<AppEnv>,
): Promise<Input<Params, Query, Headers, Conditional, Idempotent, Body>>
async function inputOf(
  parts: Omit<Declaration, 'body'>,
  validBody: (() => unknown) | undefined,
  c: Context<AppEnv>,
): Promise<object> {
  const query = parts.query && parsed(parts.query, queryOf(c), 'query', (issue) => queryIssue(c, issue))
  const params = parts.params && parsed(parts.params, c.req.param(), 'path')
  const headers = parts.headers && parsed(parts.headers, c.req.header(), 'header')
  const body = validBody?.()
  const key = parts.idempotent && (await idempotencyKey(c, body))
  return { query, params, headers, body, key, expected: headers?.['if-match'] }
}

/** The query. A parameter that is repeated is a list. */
function queryOf(c: Context): object {
  const queries = Object.entries(c.req.queries())
  return Object.fromEntries(queries.map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: InvalidMember['in'],
  told = (issue: z.core.$ZodIssue) => issue,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw validationError(error.issues.map(told), place)
}
