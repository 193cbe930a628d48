import { type ErrorCode, errorCodes } from '../errors.ts'
import { countTexts, isMembers, type Json, type Members, membersOf, shareSchemas } from './components.ts'
import { errorResponseCodes } from './openapi.ts'
import { type HeaderName, headerNames, headers, references } from './response-headers.ts'

/** What operations share: the request header of every operation, and the scheme of their tokens. */
const bookmark = {
  'x-parameter': 'Bookmark',
  name: 'X-D1-Bookmark',
  in: 'header',
  description:
    'The last X-D1-Bookmark that was received. The answer is at least as new as what it was received with.',
  schema: { type: 'string' },
}
const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'A signed JWT with `sub` (the user) and `exp`',
}

/** An operation of a description, with its place in it. */
interface Place {
  path: string
  method: string
  operation: Members
}

/**
 * Makes the description that is served out of what the routes generate: each schema, parameter, response and header that
 * operations share stands in it once, and integers have formats.
 */
export function shareComponents(generated: Members): Members {
  const schemas: Members = {}
  const { paths, components, webhooks: _, ...rest } = membersOf(shareSchemas(generated, schemas))
  const places = operationsOf(membersOf(paths)).map(describeAnswers).map(describeParameters)
  const parameters = shareParameters(places)
  const responses = shareResponses(places)
  const isSocket = ({ operation }: Place) => 'x-socket' in operation
  const used = headerNames.filter((name) => JSON.stringify([responses, places]).includes(`/headers/${name}"`))
  return {
    ...rest,
    paths: pathsOf(places.filter((place) => !isSocket(place))),
    components: {
      schemas: sorted({ ...membersOf(membersOf(components).schemas), ...schemas }),
      responses: sorted(responses),
      parameters: sorted(parameters),
      headers: Object.fromEntries(used.map((name) => [name, headers[name]])),
      securitySchemes: { bearer },
      ...(places.some(isSocket) && { pathItems: socketsOf(places.filter(isSocket)) }),
    },
  }
}

function operationsOf(paths: Members): Place[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(membersOf(methods)).map(([method, operation]) => ({
      path,
      method,
      operation: membersOf(operation),
    })),
  )
}

function pathsOf(places: Place[]): Members {
  const paths: Record<string, Members> = {}
  for (const { path, method, operation } of places) {
    paths[path] = { ...paths[path], [method]: operation }
  }
  return paths
}

/** A socket is no path: a generator would make a request of it that no socket answers. */
function socketsOf(places: Place[]): Members {
  return Object.fromEntries(
    places.map(({ method, operation: { 'x-socket': name, ...operation } }) => [
      String(name),
      { [method]: operation },
    ]),
  )
}

/** Writes the answer's headers into each response that is not an error, and those of the error responses' codes out. */
function describeAnswers(place: Place): Place {
  const { responses, ...operation } = place.operation
  const described = Object.entries(membersOf(responses)).map(([status, response]) => {
    if (!isMembers(response) || '$ref' in response) return [status, response]
    const { description = '', ...rest } = response
    const all = { ...membersOf(response.headers), ...references('X-Request-Id', 'X-D1-Bookmark') }
    return [status, { description, ...rest, headers: all }]
  })
  return { ...place, operation: { ...operation, responses: Object.fromEntries(described) } }
}

function describeParameters(place: Place): Place {
  const { parameters = [], ...operation } = place.operation
  const described = [parameters].flat().filter(isMembers).map(describedParameter)
  return { ...place, operation: { ...operation, parameters: [...described, bookmark] } }
}

/** A parameter as it is read: header names in their usual case, and each description once. */
function describedParameter({ name, in: place, required, schema, description, ...rest }: Members): Members {
  const { description: _, ...described } = membersOf(schema)
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

/** Moves the parameters that several operations have to the components, which it returns. */
function shareParameters(places: Place[]): Members {
  const shared: Members = {}
  const all = places.flatMap(({ operation }) => [operation.parameters ?? []].flat())
  const counts = countTexts(all)
  for (const { operation } of places) {
    const parameters = [operation.parameters ?? []].flat().filter(isMembers)
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

/** Moves the responses that several operations have to the components, which it returns; writes out the other errors. */
function shareResponses(places: Place[]): Members {
  const shared: Members = {}
  const counts = countTexts(places.flatMap(({ operation }) => Object.values(membersOf(operation.responses))))
  for (const { operation } of places) {
    const responses = Object.entries(membersOf(operation.responses)).map(([status, response]) => {
      const refersTo = lastOf(membersOf(response).$ref)
      const codes = errorResponseCodes.get(refersTo)
      const written = codes ? problemResponse(codes) : membersOf(response)
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

/** A response is named by its schema; one without, by its description. */
function nameOf({ content, description }: Members): string {
  const { schema } = membersOf(membersOf(content)['application/json'])
  return lastOf(membersOf(schema).$ref) || componentName(String(description))
}

/** An error response: a problem document with one of the codes, which has the request's id, too. */
function problemResponse(codes: readonly ErrorCode[]): Members {
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

/** A code with its title; with its status where the response stands for several. */
function inWords(code: ErrorCode, isOneOfSeveral: boolean): string {
  const [status, title] = errorCodes[code]
  return `${isOneOfSeveral ? `${status} ` : ''}\`${code}\`: ${title}`
}

/** The codes that come with a header. */
const errorHeaders: Partial<Record<HeaderName, ErrorCode[]>> = {
  'WWW-Authenticate': ['UNAUTHENTICATED', 'FORBIDDEN'],
  'Retry-After': ['RATE_LIMITED', 'UNAVAILABLE'],
}

/** Adds a component, and returns the reference to it. @throws when another has its name */
function add(components: Members, kind: string, name: string, component: Members): Members {
  const known = components[name] ?? component
  components[name] = known
  if (JSON.stringify(known) !== JSON.stringify(component)) throw new Error(`two ${kind}: ${name}`)
  return { $ref: `#/components/${kind}/${name}` }
}

function sorted(members: Members): Members {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]): number => (one < other ? -1 : 1)))
}
