/** The parameters and the body that an operation accepts. */
interface Operation {
  id: string
  parameters: unknown[]
  /** The schema of the body; undefined for content, which has no members. */
  body: unknown
}

/**
 * A line that names the parameters and members that the service ignores in a request; undefined when it ignores none, or
 * when the path is unknown.
 */
export async function ignoredIn(description: unknown, request: Request): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(request.url)
  const operation = operationOf(description, request.method, pathname)
  if (!operation) return undefined
  const known = operation.parameters.filter((parameter) => member(parameter, 'in') === 'query')
  const names = new Set(known.map((parameter) => member(parameter, 'name')))
  const parameters = [...new Set(searchParams.keys())].filter((name) => !names.has(name))
  const { body } = operation
  const members = body === undefined ? [] : unknownMembers(description, [body], await bodyOf(request))
  const ignored = [
    ...parameters.map((name) => `query parameter ${JSON.stringify(name)}`),
    ...[...new Set(members)].map((name) => `body member ${JSON.stringify(name)}`),
  ]
  if (ignored.length === 0) return undefined
  const shown = ignored.slice(0, MOST_NAMED).join(', ')
  const more = ignored.length > MOST_NAMED ? ` and ${ignored.length - MOST_NAMED} more` : ''
  return `${operation.id} (${request.method} ${pathname}) ignores ${shown}${more}`
}

/** The most ignored names in a line. */
const MOST_NAMED = 10

/** The schema of a body without members. */
const NO_MEMBERS = { properties: {} }

/** The operation that serves a path. Paths with fewer parameters come first. */
function operationOf(description: unknown, method: string, pathname: string): Operation | undefined {
  const paths = Object.entries(record(member(description, 'paths'))).sort(
    ([one], [other]) => one.split('{').length - other.split('{').length,
  )
  for (const [path, item] of paths) {
    const expression = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const operation = member(item, method === 'HEAD' ? 'get' : method.toLowerCase())
    if (operation === undefined || !expression.test(pathname)) continue
    const content = member(resolved(description, member(operation, 'requestBody')), 'content')
    return {
      id: String(member(operation, 'operationId')),
      parameters: [member(item, 'parameters'), member(operation, 'parameters')]
        .flatMap((list) => (Array.isArray(list) ? list : []))
        .map((parameter: unknown) => resolved(description, parameter)),
      body: content === undefined ? NO_MEMBERS : member(member(content, 'application/json'), 'schema'),
    }
  }
  return undefined
}

/** The body as JSON; undefined when it is empty or not JSON, which needs no report. */
async function bodyOf(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text())
  } catch {
    return undefined
  }
}

/**
 * The members of `value` that none of the schemas names, as paths: `data/colour`. A schema includes its alternatives and
 * its parts. Positions in arrays are left out.
 */
function unknownMembers(description: unknown, schemas: unknown[], value: unknown, path = ''): string[] {
  const all = schemas.flatMap((schema) => parts(description, schema))
  if (Array.isArray(value)) {
    const items = all.map((schema) => member(schema, 'items')).filter((schema) => schema !== undefined)
    return value.flatMap((item: unknown) => unknownMembers(description, items, item, path))
  }
  if (all.some(takesAnything)) return []
  return Object.entries(record(value)).flatMap(([name, inner]) => {
    const named = all.flatMap((schema) => {
      const properties = record(member(schema, 'properties'))
      const further = member(schema, 'additionalProperties')
      return Object.hasOwn(properties, name) ? [properties[name]] : further ? [further] : []
    })
    return named.length === 0 ? [path + name] : unknownMembers(description, named, inner, `${path}${name}/`)
  })
}

/** Whether a schema accepts any value, as `true` and `{}` do. */
function takesAnything(schema: unknown): boolean {
  const keywords = ['type', 'properties', 'allOf', 'oneOf', 'anyOf', 'enum', 'const']
  return keywords.every((name) => member(schema, name) === undefined)
}

/** A schema, with its `$ref` followed, and the schemas that it is composed of. */
function parts(description: unknown, schema: unknown): unknown[] {
  const own = resolved(description, schema)
  const composed = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => {
    const list = member(own, name)
    return Array.isArray(list) ? list : []
  })
  return [own, ...composed.flatMap((part: unknown) => parts(description, part))]
}

/** Follows a `$ref` within the description. */
function resolved(description: unknown, value: unknown): unknown {
  const reference = member(value, '$ref')
  if (typeof reference !== 'string') return value
  const found = reference
    .slice('#/'.length)
    .split('/')
    .reduce(
      (place: unknown, name) => member(place, name.replaceAll('~1', '/').replaceAll('~0', '~')),
      description,
    )
  return resolved(description, found)
}

function member(value: unknown, name: string): unknown {
  return record(value)[name]
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
