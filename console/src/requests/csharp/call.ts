/** A request of the service as a call of the C# client (engines/unity). */
import type { Method, Shape } from './method.ts'
import { models, operations } from './methods.ts'
import { camel, pascal, text } from './names.ts'

/** A request, and the expression of its content. */
export interface CallValues {
  path: Record<string, unknown>
  query: Record<string, unknown>
  /** By names in small letters. */
  headers: Record<string, string>
  body?: unknown
  content?: string
}

/** The longest line of code that is not broken. */
const WIDTH = 80

/** The call; undefined for a request that the client has no method for, and for one that its models can't express. */
export function csharpCall(id: string, values: CallValues): string | undefined {
  const method = operations[id]
  if (!method) return undefined
  try {
    const before = method.answer === undefined ? '' : `var ${variableOf(method.answer)} = `
    const start = `${before}await storage.${pascal(id)}${method.isList ? '' : 'Async'}(`
    const end = `)${method.isList ? '.GetPageAsync()' : ''};`
    const given = argumentsOf(id, method, values)
    const line = start + given.join(', ') + end
    if (given.length < 2 || !isLong(line)) return line
    return `${start}\n${given.map((one) => indented(one)).join(',\n')}${end}`
  } catch (error) {
    if (error instanceof Inexpressible) return undefined
    throw error
  }
}

class Inexpressible extends Error {}

const variableOf = (answer: string) =>
  answer.startsWith('list ') ? `${camel(answer.slice(5))}s` : camel(answer)

function argumentsOf(
  id: string,
  method: Method,
  { path, query, headers, body, content }: CallValues,
): string[] {
  const parameters = Object.entries(method.query ?? {}).flatMap(([name, type]) => {
    const value = query[name] ?? headers[name.toLowerCase()]
    // The digest of content that the example does not show.
    return value === undefined || name === 'Content-Digest'
      ? []
      : [`${pascal(name)} = ${expressionOf(value, type)}`]
  })
  const ifMatch = headers['if-match']
  const reason = method.takesReason && headers['audit-reason']
  const given: [name: string, value: string | undefined][] = [
    ...Object.entries(method.path).map(([name, type]): [string, string] => [
      camel(name),
      expressionOf(path[name], type),
    ]),
    ...(method.body ? [['body', bodyOf(method.body, body)] satisfies [string, string | undefined]] : []),
    ...(method.sendsContent
      ? ([
          ['content', `new HttpBody(${content ?? 'content'})`],
          ['mimeType', text(headers['content-type'] ?? 'application/octet-stream')],
        ] satisfies [string, string][])
      : []),
    ...(method.query
      ? [['query', instance(`${pascal(id)}Query`, parameters)] satisfies [string, string | undefined]]
      : []),
    [
      'options',
      ifMatch === undefined ? undefined : instance(method.options ?? '', [`IfMatch = ${text(ifMatch)}`]),
    ],
    ['auditReason', reason === undefined ? undefined : text(decodeURIComponent(reason))],
  ]
  // Behind an argument that is left out, the others have names.
  const firstLeftOut = given.findIndex(([, value]) => value === undefined)
  return given.flatMap(([name, value], index) =>
    value === undefined ? [] : [index > firstLeftOut && firstLeftOut >= 0 ? `${name}: ${value}` : value],
  )
}

function bodyOf(model: string, body: unknown): string | undefined {
  return body === undefined ? undefined : modelOf(model, body)
}

/** An instance with assigned members; undefined without any. */
export function instance(type: string, members: string[]): string | undefined {
  return members.length === 0 ? undefined : `new ${type}${block(members)}`
}

const isLong = (line: string) => line.length > WIDTH || line.includes('\n')

const indented = (lines: string) => `    ${lines.replaceAll('\n', '\n    ')}`

/** Members in braces, behind a type: on its line if they are short. */
function block(members: string[]): string {
  const line = `{ ${members.join(', ')} }`
  if (!isLong(line)) return ` ${line}`
  return `\n{\n${members.map((member) => `${indented(member)},\n`).join('')}}`
}

function modelOf(name: string, value: unknown): string {
  const shape = models[name]
  if (!shape || !isObject(value)) throw new Inexpressible(name)
  if (Array.isArray(shape)) {
    const chosen = shape.find((one) => fits(models[one], value))
    if (!chosen) throw new Inexpressible(name)
    return modelOf(chosen, value)
  }
  const members = Object.entries(value).flatMap(([member, inner]) => {
    const type = shape[member]
    if (type === undefined) throw new Inexpressible(`${name}.${member}`)
    return type.startsWith('constant ') ? [] : [`${pascal(member)} = ${expressionOf(inner, type)}`]
  })
  return instance(name, members) ?? `new ${name}()`
}

/** Whether a value has the constants of a model. */
function fits(shape: Shape | undefined, value: Record<string, unknown>): boolean {
  return Object.entries(shape ?? {}).every(
    ([member, type]) =>
      typeof type !== 'string' || !type.startsWith('constant ') || value[member] === type.slice(9),
  )
}

/** The expression of a value. Values of a path or a query may be texts whatever their type is. */
function expressionOf(value: unknown, type: string): string {
  const [kind = '', ...rest] = type.split(' ')
  const inner = rest.join(' ')
  if (value === null) return 'null'
  if (kind === 'list')
    return `new${inner === 'number' ? ' long' : ''}[]${block([value].flat().map((one) => expressionOf(one, inner)))}`
  if (kind === 'model') return modelOf(inner, value)
  if (kind === 'enum') return `${inner}.${pascal(String(value))}`
  if (kind === 'json') return text(JSON.stringify(value))
  if (kind === 'text' && typeof value !== 'object') return text(String(value))
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(String(value))) return String(value)
  if (kind === 'time' && isWhole(value)) return `DateTimeOffset.FromUnixTimeSeconds(${value})`
  if (kind === 'duration' && isWhole(value)) return `TimeSpan.FromSeconds(${value})`
  if (kind === 'boolean' && /^(true|false)$/.test(String(value))) return String(value)
  throw new Inexpressible(type)
}

const isWhole = (value: unknown) => /^-?\d+$/.test(String(value))

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
