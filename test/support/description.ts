import { type Schema, Validator } from '@cfworker/json-schema'
import { expect } from 'vitest'
import { lazy } from '../../src/platform/lib/lazy.ts'
import { statusOfCode } from './exposed.ts'
import { schemaTest } from './schema-test.ts'
import { origin, service } from './service.ts'

interface ProblemSchema {
  allOf: [Schema, { properties: { code: { enum: string[] } } }]
}
interface Described {
  description?: string
  content?: {
    'application/json'?: { schema: Schema }
    'application/problem+json'?: { schema: Schema & ProblemSchema }
    /** Bytes of any type. */
    '*/*'?: { schema: Schema }
  }
  headers?: Record<string, { required?: boolean }>
}
export interface Operation {
  operationId: string
  /** Empty: no token is needed. */
  security?: unknown[]
  parameters?: { name: string; in: string; required?: boolean; schema?: { type?: string; enum?: string[] } }[]
  /** JSON, or bytes of any type. */
  requestBody?: { content: { 'application/json'?: { schema: Schema }; '*/*'?: { schema: Schema } } }
  /** The scopes that a token needs. */
  'x-scopes'?: string[]
  responses: Record<string, Described>
}
type Methods = Record<string, Operation>
interface Description {
  paths: Record<string, Methods>
  components: {
    headers: Record<string, unknown>
    pathItems?: { NotificationSocket: Methods }
  }
}
interface SocketDescription {
  channels: { notifications: { address: string } }
}

/** The paths of the service's descriptions, for clients and for operators. */
export const descriptionPaths = { clients: '/openapi.json', operators: '/openapi.operators.json' } as const

/** The service's own descriptions of itself, with what each reference refers to in its place. */
const description = lazy(async () => resolved(await read(descriptionPaths.clients)))
const operatorsDescription = lazy(async () => resolved(await read(descriptionPaths.operators)))

function resolved(text: string): Description {
  const whole: unknown = JSON.parse(text)
  return resolvedIn(text, (path) => path.split('/').reduce(member, whole))
}

/** The text of a description, as it is served. */
export async function read(path: string): Promise<string> {
  return (await service(new Request(origin + path))).text()
}

/** JSON with each `$ref` replaced by what `find` finds at its path, and the members beside it. */
function resolvedIn(text: string, find: (path: string) => unknown): Description {
  const inPlace = (_: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value
    const { $ref, ...beside } = value
    const found = find(String($ref).replace('#/', ''))
    if (found === undefined) throw new Error(`nothing at ${$ref}`)
    return { ...JSON.parse(JSON.stringify(found), inPlace), ...beside }
  }
  return JSON.parse(text, inPlace)
}

function member(value: unknown, name: string): unknown {
  return Object.entries(value ?? {}).find(([key]) => key === name)?.[1]
}

/** A described endpoint. */
export interface Endpoint {
  method: string
  /** With its parameters in braces. */
  path: string
  /** Matches the paths that it serves. */
  pattern: RegExp
  operation: Operation
}

/** Whether an endpoint needs no token. */
const isPublic = ({ operation }: Endpoint) => operation.security?.length === 0

/** The endpoints without a token, which take no part in the checks of every endpoint: test/profiles has their own. */
export const publicEndpoints = lazy(
  async (): Promise<readonly Endpoint[]> => (await forClients()).filter(isPublic),
)

/** Every endpoint in the description for clients that needs a token, and the socket. */
export const endpoints = lazy(
  async (): Promise<readonly Endpoint[]> => (await forClients()).filter((endpoint) => !isPublic(endpoint)),
)

const forClients = lazy(async (): Promise<readonly Endpoint[]> => {
  const { paths, components } = await description()
  const { channels }: SocketDescription = JSON.parse(await read('/asyncapi.json'))
  const all = Object.entries(paths)
  const { NotificationSocket } = components.pathItems ?? {}
  if (!NotificationSocket) throw new Error('the socket is not described')
  // Its place among the inbox's endpoints keeps the random choices of the proofs the same.
  const place = all.findIndex(([path]) => path === '/v1/notifications/{id}') + 1
  all.splice(place, 0, [channels.notifications.address, NotificationSocket])
  return all.flatMap(([path, operations]) => endpointsOf(path, operations))
})

/** Every endpoint in the description for operators. */
export const operatorEndpoints = lazy(async (): Promise<readonly Endpoint[]> => {
  const { paths } = await operatorsDescription()
  return Object.entries(paths).flatMap(([path, operations]) => endpointsOf(path, operations))
})

/** Every endpoint of the service that needs a token. General checks and the proofs are generated from this list. */
export const allEndpoints = lazy(
  async (): Promise<readonly Endpoint[]> => [...(await endpoints()), ...(await operatorEndpoints())],
)

/** The values that a parameter of an operation takes. */
export async function valuesOf(operationId: string, parameter: string): Promise<readonly string[]> {
  const endpoint = (await allEndpoints()).find(({ operation }) => operation.operationId === operationId)
  const values = endpoint?.operation.parameters?.find(({ name }) => name === parameter)?.schema?.enum
  if (!values?.length) throw new Error(`${operationId} has no values of ${parameter}`)
  return values
}

function endpointsOf(path: string, operations: Methods): Endpoint[] {
  const pattern = patternOf(path)
  return Object.entries(operations).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    pattern,
    operation,
  }))
}

/** Every endpoint, by its method and the number of segments in its path. */
const endpointsByShape = lazy(async () =>
  Map.groupBy([...(await allEndpoints()), ...(await publicEndpoints())], ({ method, path }) =>
    shapeOf(method, path),
  ),
)
const shapeOf = (method: string, path: string) => `${method} ${path.split('/').length}`

/**
 * Fails unless the description has this answer: status, content type, headers and body, without further members. Every test does this
 * for every answer, so it compares by itself: an `expect` that holds takes longer than the comparison.
 */
export async function expectDescribed(request: Request, response: Response, body: string): Promise<void> {
  const { method } = request
  const { pathname } = new URL(request.url)
  const { status, headers } = response
  const called = `${method} ${pathname} → ${status}`
  if (!/^[\w-]{8,}$/.test(headers.get('X-Request-Id') ?? '')) fail(`${called} has no request id`)
  if (method === 'OPTIONS') return
  const caching = headers.has('ETag') ? 'no-store, no-transform' : 'no-store'
  const cached = headers.get('Cache-Control')
  if (pathname.startsWith('/v1') && cached !== caching) fail(`${called} has Cache-Control: ${cached}`)

  const alike = (await endpointsByShape()).get(shapeOf(method, pathname)) ?? []
  const endpoint = alike.find(({ pattern }) => pattern.test(pathname))
  if (!endpoint) {
    if (![400, 401, 404, 405, 429, 503].includes(status)) fail(`${called} is not described`)
    return
  }
  const { responses } = endpoint.operation
  const answer = responses[String(status)] ?? responses.default ?? fail(`${called} is not described: ${body}`)
  await expectHeaders(answer, response, called)
  const type = headers.get('Content-Type')?.split(';')[0] ?? ''
  if (!answer.content) {
    if (body !== '') fail(`${called} has a body: ${body}`)
    return
  }
  if ('*/*' in answer.content) return
  const described =
    new Map(Object.entries(answer.content)).get(type) ?? fail(`${called}: ${type} is not described`)
  if (type.startsWith('image/')) return
  const { schema } = described
  if (answer.content['application/problem+json']) expectProblem(answer, response, body, called)
  const value: unknown = JSON.parse(body)
  if (isDescribed(schema, value)) return
  expect(validatorOf(schema).validate(value).errors, `${called}: ${body}`).toEqual([])
}

function fail(message: string): never {
  throw new Error(message)
}

/** The error codes of a described response; none when it is no error. */
export function codesOf({ content }: Described): string[] {
  return content?.['application/problem+json']?.schema.allOf[1].properties.code.enum ?? []
}

/** The statuses of errors that come with a header. */
const headersOfErrors = new Map([
  [401, 'WWW-Authenticate'],
  [429, 'Retry-After'],
  [503, 'Retry-After'],
])

/** Fails unless the answer has each required header, and no header that the description has only for other answers. */
async function expectHeaders(
  answer: Described,
  { status, headers }: Response,
  called: string,
): Promise<void> {
  const { headers: described = {} } = answer
  for (const [name, { required }] of Object.entries(described))
    if (required && !headers.has(name)) fail(`${called} without ${name}`)
  const inError = headersOfErrors.get(status)
  if (inError) {
    if (!Object.hasOwn(described, inError)) fail(`${called}: ${inError} is not described`)
    if (!headers.has(inError)) fail(`${called} without ${inError}`)
  }
  // The id and the bookmark are in errors, too; a problem document says the id itself.
  const inAll = status < 400 ? [] : ['X-Request-Id', 'X-D1-Bookmark']
  // Each header of the other description is one of this one's.
  const { components } = await description()
  for (const name of Object.keys(components.headers))
    if (headers.has(name) && !inAll.includes(name) && !Object.hasOwn(described, name))
      fail(`${called}: ${name} is not described`)
}

function expectProblem(answer: Described, { status }: Response, body: string, called: string): void {
  const { code, errors } = JSON.parse(body)
  if (!codesOf(answer).includes(code)) fail(`${called}: ${code} is not described: ${body}`)
  if (statusOfCode.get(code) !== status) fail(`${called}: ${code} has another status: ${body}`)
  if (code === 'VALIDATION_FAILED' && !(errors?.length > 0)) fail(`${called} says not what is wrong: ${body}`)
}

/** A pattern that matches the paths of a template. */
function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/[.]/g, '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
}

const validators = new Map<Schema, Validator>()

/** Checks values against a schema, in which objects are closed. */
export function validatorOf(schema: Schema): Validator {
  const known = validators.get(schema) ?? new Validator(closed(schema), '2020-12')
  validators.set(schema, known)
  return known
}

const tests = new Map<Schema, (value: unknown) => boolean>()

/** Whether a value is what a schema describes, in which objects are closed. The validator says of another one what is wrong. */
export function isDescribed(schema: Schema, value: unknown): boolean {
  const test = tests.get(schema) ?? schemaTest(closed(schema))
  tests.set(schema, test)
  return test(value)
}

/** The description leaves objects open, so that clients tolerate new members; a test does not. */
function closed(schema: Schema): Schema {
  const { properties, allOf, oneOf, anyOf, items } = schema
  const isObject = properties ?? allOf
  return {
    ...open(schema),
    ...(oneOf && { oneOf: oneOf.map(closed) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(isSchema(items) && { items: closed(items) }),
    ...(isObject && !('additionalProperties' in schema) && { unevaluatedProperties: false }),
  }
}

/** A part of an object, whose other parts have members of their own. The validator takes an example's `id` for a schema's. */
function open({ properties = {}, allOf, example: _, ...schema }: Schema): Schema {
  const members = Object.entries(properties).map(([name, of]) => [name, isSchema(of) ? closed(of) : of])
  return { ...schema, properties: Object.fromEntries(members), ...(allOf && { allOf: allOf.map(open) }) }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && !Array.isArray(value)
}
