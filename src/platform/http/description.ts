import { type ErrorCode, errorCodes } from '../errors.ts'
import {
  countTexts,
  isJsonObject,
  type Json,
  type JsonObject,
  objectOrEmpty,
  shareSchemas,
} from './components.ts'
import { errorResponseCodes } from './error-responses.ts'
import { type HeaderName, headerNames, headers, references } from './response-headers.ts'

/** The header parameter of every operation with a token. */
const bookmark = {
  'x-parameter': 'Bookmark',
  name: 'X-D1-Bookmark',
  in: 'header',
  description:
    'The last `X-D1-Bookmark` that the client received. The answer is at least as new as the one with that bookmark.',
  schema: { type: 'string' },
}
/** The header parameters of every operation that somebody can do on behalf of a player. */
const onBehalf = [
  {
    'x-parameter': 'OnBehalfOf',
    name: 'On-Behalf-Of',
    in: 'header',
    description:
      'The player for whom support or a server does this, in percent-encoded UTF-8. Requires a token with the scope `players:write` or, to read, `players:read`; for saves, `saves:write` or `saves:read`.',
    schema: { type: 'string', example: 'ada' },
  },
  {
    'x-parameter': 'ReasonOnBehalf',
    name: 'Audit-Reason',
    in: 'header',
    description:
      'Why, for the audit: percent-encoded UTF-8, 1 to 500 code points. Required with `On-Behalf-Of` when the request changes something, except under the scopes of saves.',
    schema: { type: 'string', example: 'Asked%20for%20by%20the%20player' },
  },
]
/** The security scheme of every operation that is not public. */
const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'A signed JWT with `sub` (the user) and `exp`',
}

/** An operation of a description, with its path and method. */
interface Place {
  path: string
  method: string
  operation: JsonObject
}

/**
 * Turns the description that the routes generate into the served one: schemas, parameters, responses and headers that
 * operations share become components, and integers get formats.
 */
export function shareComponents(generated: JsonObject): JsonObject {
  const schemas: JsonObject = {}
  const { paths, components, webhooks: _, ...rest } = objectOrEmpty(shareSchemas(generated, schemas))
  const places = operationsOf(objectOrEmpty(paths)).map(addResponseHeaders).map(describeParameters)
  const parameters = shareParameters(places)
  const responses = shareResponses(places)
  const isSocket = ({ operation }: Place) => '101' in objectOrEmpty(operation.responses)
  const used = headerNames.filter((name) => JSON.stringify([responses, places]).includes(`/headers/${name}"`))
  return {
    ...rest,
    paths: pathsOf(places.filter((place) => !isSocket(place))),
    components: {
      schemas: sorted({ ...objectOrEmpty(objectOrEmpty(components).schemas), ...schemas }),
      responses: sorted(responses),
      parameters: sorted(parameters),
      headers: Object.fromEntries(used.map((name) => [name, headers[name]])),
      securitySchemes: { bearer },
      ...(places.some(isSocket) && { pathItems: socketsOf(places.filter(isSocket)) }),
    },
  }
}

function operationsOf(paths: JsonObject): Place[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(objectOrEmpty(methods)).map(([method, operation]) => ({
      path,
      method,
      operation: objectOrEmpty(operation),
    })),
  )
}

function pathsOf(places: Place[]): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const { path, method, operation } of places) {
    paths[path] = { ...paths[path], [method]: operation }
  }
  return paths
}

/** The operations of sockets as path items by name, not as paths: a client generator makes a plain request of each path. */
function socketsOf(places: Place[]): JsonObject {
  return Object.fromEntries(
    places.map(({ method, operation }) => [`${nameOfTag(operation)}Socket`, { [method]: operation }]),
  )
}

/** An operation's tag in the singular. */
function nameOfTag({ tags }: JsonObject): string {
  return String(tags).replace(/s$/, '')
}

/** Adds the headers of every answer to the responses that are not errors. Error responses are still references here. */
function addResponseHeaders(place: Place): Place {
  const { responses, ...operation } = place.operation
  const described = Object.entries(objectOrEmpty(responses)).map(([status, response]) => {
    if (!isJsonObject(response) || '$ref' in response) return [status, response]
    const { description = '', ...rest } = response
    const ofAll = isPublic(place) ? references('X-Request-Id') : references('X-Request-Id', 'X-D1-Bookmark')
    const all = { ...objectOrEmpty(response.headers), ...ofAll }
    return [status, { description, ...rest, headers: all }]
  })
  return { ...place, operation: { ...operation, responses: Object.fromEntries(described) } }
}

/** Whether an operation needs no token. It takes and returns no bookmark, either. */
function isPublic({ operation: { security } }: Place): boolean {
  return Array.isArray(security) && security.length === 0
}

/** Rewrites an operation's parameters, and adds the bookmark. */
function describeParameters(place: Place): Place {
  const { parameters = [], 'x-on-behalf': isOnBehalf, ...operation } = place.operation
  const described = [parameters].flat().filter(isJsonObject).map(describedParameter)
  const added = [...(isPublic(place) ? [] : [bookmark]), ...(isOnBehalf === true ? onBehalf : [])]
  return { ...place, operation: { ...operation, parameters: [...described, ...added] } }
}

/** A parameter without the description that the generator repeats in its schema. A header's name is in its usual case. */
function describedParameter({
  name,
  in: place,
  required,
  schema,
  description,
  ...rest
}: JsonObject): JsonObject {
  const { description: _, ...described } = objectOrEmpty(schema)
  return {
    name: place === 'header' ? inHeaderCase(String(name)) : String(name),
    in: String(place),
    ...(required === true && { required }),
    ...(description !== undefined && { description }),
    ...rest,
    schema: described,
  }
}

function inHeaderCase(name: string): string {
  return name.replaceAll(/(^|-)(.)/g, (_, before: string, first: string) => before + first.toUpperCase())
}

/** Moves the parameters that several operations have into components. Returns the components. */
function shareParameters(places: Place[]): JsonObject {
  const shared: JsonObject = {}
  const all = places.flatMap(({ operation }) => [operation.parameters ?? []].flat())
  const counts = countTexts(all)
  for (const { operation } of places) {
    const parameters = [operation.parameters ?? []].flat().filter(isJsonObject)
    operation.parameters = parameters.map((parameter) => {
      const { 'x-parameter': given, ...described } = parameter
      if ((counts.get(JSON.stringify(parameter)) ?? 0) < 2) return described
      const name = String(given ?? componentName(String(parameter.name)))
      return add(shared, 'parameters', name, described)
    })
  }
  return shared
}

function componentName(words: string): string {
  return words.replaceAll(/(?:^|[-_ ])(.)/g, (_, first: string) => first.toUpperCase())
}

/**
 * Moves the responses that several operations have into components. Replaces references to all other error responses by the
 * responses. Returns the components.
 */
function shareResponses(places: Place[]): JsonObject {
  const shared: JsonObject = {}
  const counts = countTexts(
    places.flatMap(({ operation }) => Object.values(objectOrEmpty(operation.responses))),
  )
  for (const { operation } of places) {
    const responses = Object.entries(objectOrEmpty(operation.responses)).map(([status, response]) => {
      const refersTo = lastOf(objectOrEmpty(response).$ref)
      const codes = errorResponseCodes.get(refersTo)
      const written = codes ? problemResponse(codes) : objectOrEmpty(response)
      if ((counts.get(JSON.stringify(response)) ?? 0) < 2) return [status, written]
      return [status, add(shared, 'responses', refersTo || nameOf(written), written)]
    })
    operation.responses = Object.fromEntries(responses)
  }
  return shared
}

/** The name at the end of a reference; empty without one. */
function lastOf($ref: Json | undefined): string {
  return String($ref ?? '').replace(/^.*\//, '')
}

/** The component name of a response: the name of its schema, or, without one, its description. */
function nameOf({ content, description }: JsonObject): string {
  const [media] = Object.values(objectOrEmpty(content))
  const { schema } = objectOrEmpty(media)
  return lastOf(objectOrEmpty(schema).$ref) || componentName(String(description))
}

/** An error response: a problem document with one of these codes. */
function problemResponse(codes: readonly ErrorCode[]): JsonObject {
  const names = headerNames.filter((name) => errorHeaders[name]?.some((code) => codes.includes(code)))
  const statuses = new Set(codes.map((code) => errorCodes[code][0]))
  const own = { code: { enum: [...codes] }, status: { enum: [...statuses] } }
  return {
    description: codes.map((code) => inWords(code, statuses.size > 1)).join('; '),
    ...(names.length > 0 && { headers: references(...names) }),
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: own }] },
      },
    },
  }
}

/** A code with its title, and with its status when the response has several. */
function inWords(code: ErrorCode, isOneOfSeveral: boolean): string {
  const [status, title] = errorCodes[code]
  return `${isOneOfSeveral ? `${status} ` : ''}\`${code}\`: ${title}`
}

/** The codes of the errors that have each header. */
const errorHeaders: Partial<Record<HeaderName, ErrorCode[]>> = {
  'WWW-Authenticate': ['UNAUTHENTICATED', 'FORBIDDEN'],
  'Retry-After': ['RATE_LIMITED', 'UNAVAILABLE'],
}

/** Adds a component, and returns the reference to it. @throws Error when a different component has the same name */
function add(components: JsonObject, kind: string, name: string, component: JsonObject): JsonObject {
  const known = components[name] ?? component
  components[name] = known
  if (JSON.stringify(known) !== JSON.stringify(component))
    throw new Error(`two different ${kind} are named ${name}`)
  return { $ref: `#/components/${kind}/${name}` }
}

function sorted(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]): number => (one < other ? -1 : 1)))
}
