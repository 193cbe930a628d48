import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import openapi from '../../docs/openapi.json' with { type: 'json' }
import { textOf } from './citations.ts'

const generated = (name: string) => textOf(`engines/unity/Runtime/Generated/${name}.cs`)
const code = {
  models: generated('Answers') + generated('Requests'),
  queries: generated('Queries'),
  enumerations: generated('Enumerations'),
  operations: generated('Operations'),
  errorCodes: generated('ErrorCodes'),
}

const Body = z.object({ schema: z.unknown() })
const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.object({ content: z.record(z.string(), Body) }).optional(),
  responses: z.record(z.string(), z.unknown()),
})
const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    request: `${method.toUpperCase()} ${path}`,
    ...Operation.parse(operation),
  })),
)

const Schema = z.looseObject({
  type: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  allOf: z.array(z.unknown()).default([]),
  oneOf: z.array(z.unknown()).default([]),
  anyOf: z.array(z.unknown()).default([]),
  items: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
})

const Reference = z.object({ $ref: z.string() })
const nameIn = (value: unknown) => Reference.safeParse(value).data?.$ref.split('/').at(-1)

function resolved(value: unknown): unknown {
  const { data } = Reference.safeParse(value)
  if (!data) return value
  const steps = data.$ref.slice(2).split('/')
  return resolved(
    steps.reduce<unknown>((at, step) => z.record(z.string(), z.unknown()).parse(at)[step], openapi),
  )
}

const pascal = (name: string) =>
  name
    .split(/[_-]/)
    .map((word) => (word === 'etag' ? 'ETag' : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')

/** The JSON that an operation takes, or that its answers of success are. */
function bodiesOf({ requestBody, responses }: (typeof operations)[number]): unknown[] {
  const Response = z.object({ content: z.record(z.string(), Body).default({}) })
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, response]) => Response.parse(resolved(response)).content)
  return [requestBody?.content ?? {}, ...answers].flatMap(
    (content) => content['application/json']?.schema ?? [],
  )
}

/** The members of a schema, with those of its parts and alternatives. */
function membersOf(value: unknown): [string, unknown][] {
  const { properties = {}, allOf, oneOf } = Schema.parse(resolved(value))
  return [...Object.entries(properties), ...[...allOf, ...oneOf].flatMap(membersOf)]
}

/** The named schemas with members that a value of this schema contains. */
function schemasIn(value: unknown, found = new Map<string, unknown>()): Map<string, unknown> {
  const name = nameIn(value)
  if (name && found.has(name)) return found
  const { properties, oneOf, anyOf, items } = Schema.parse(resolved(value))
  if (name && (oneOf.length > 0 || membersOf(value).length > 0)) found.set(name, value)
  // Data of the game's own, or of the service's.
  if (anyOf.filter((one) => Schema.parse(resolved(one)).type !== 'null').length > 1) return found
  for (const one of anyOf) schemasIn(one, found)
  for (const [, member] of membersOf(value)) schemasIn(member, found)
  if (items !== undefined && !properties) schemasIn(items, found)
  return found
}

/** The classes of schemas with a member of their own name, which a class can't have. */
const renamed: Record<string, string> = {
  DeletedCount: 'DeletedNotifications',
  MarkedCount: 'MarkedNotifications',
  Profiles: 'ProfileList',
  Verdict: 'SetVerdict',
}

/** The class of a schema, from its head to its end. */
const classOf = (name: string) =>
  new RegExp(
    `^    public (?:sealed|abstract) class ${renamed[name] ?? name}(?: : \\w+)?\\n.*?^    \\}$`,
    'ms',
  ).exec(code.models)?.[0]

const bodies = operations.flatMap(bodiesOf)
const used = new Map(bodies.flatMap((body) => [...schemasIn(body)]))
/** The second of two answers of one operation, whose members the model of the first has, too. */
const merged = ['ProcessingUpload']

describe('the generated sources of the C# client', () => {
  it('have a method for each operation, and no other', () => {
    const methods = [
      ...code.operations.matchAll(/^ {8}(?:public|internal) .*? (\w+)\((?:[^=]|=(?! ))*?/gm),
    ].map(([, name]) => name)
    const named = methods.map((name = '') => name.replace(/Async$/, ''))
    expect(named.toSorted()).toEqual(operations.map(({ operationId }) => pascal(operationId)).toSorted())
    expect(methods.length).toBeGreaterThan(70)
    const requests = [...code.operations.matchAll(/new Request\("([^"]+)"/g)].map(([, request]) => request)
    expect(requests.toSorted()).toEqual(operations.map(({ request }) => request).toSorted())
  })

  it('have every parameter of the query and the headers', () => {
    const Parameter = z.object({ name: z.string(), in: z.string() })
    const options = ['If-Match', 'Idempotency-Key', 'X-D1-Bookmark', 'Audit-Reason', 'On-Behalf-Of']
    const missing = operations.flatMap(({ operationId, request, parameters }) => {
      const [, source = ''] = code.operations.split(`new Request("${request}"`)
      const [sent = ''] = source.split(';')
      const query =
        new RegExp(`class ${pascal(operationId)}Query\\n.*?^    \\}$`, 'ms').exec(code.queries)?.[0] ?? ''
      return parameters
        .map((one) => Parameter.parse(resolved(one)))
        .filter((one) => one.in !== 'path' && !options.includes(one.name))
        .filter(({ name }) => !query.includes(` ${pascal(name)} {`) || !sent.includes(`"${name}", `))
        .map(({ name }) => `${operationId}: ${name}`)
    })
    expect(missing).toEqual([])
  })

  it('have a constant and the advice of each error code', () => {
    const codes = [...textOf('docs/errors.md').matchAll(/^### (\w+)$/gm)].map(([, code = '']) => code)
    expect(codes.length).toBeGreaterThan(40)
    const missing = codes.filter((one) => {
      const name = pascal(one.toLowerCase())
      return (
        !code.errorCodes.includes(`public const string ${name} = "${one}";`) ||
        !code.errorCodes.includes(`case ${name}: return "`)
      )
    })
    expect(missing).toEqual([])
  })

  it('have a model with every member of each schema that requests and answers use', () => {
    expect(used.size).toBeGreaterThan(60)
    const lacking = [...used].flatMap(([name, schema]) => {
      const source = classOf(name)
      if (merged.includes(name)) return []
      if (!source) return [name]
      if (source.includes('abstract class')) return []
      return membersOf(schema)
        .filter(
          ([member, of]) => Schema.parse(resolved(of)).type !== 'null' && !source.includes(`"${member}"`),
        )
        .map(([member]) => `${name}.${member}`)
    })
    // Alternatives of an answer are one model.
    const alternatives = ['SingleUpload', 'MultipartUpload', 'OpenUpload', 'AssetUrlError', 'FileUrlError']
    expect(lacking.filter((name) => !alternatives.includes(name))).toEqual([])
  })

  it('have every value of each enumeration', () => {
    const schemas = [
      ...used.values(),
      ...Object.values(openapi.components.schemas),
      ...operations.flatMap((one) => one.parameters),
    ]
    const values = schemas.flatMap((schema) =>
      [
        schema,
        Schema.partial().parse(resolved(schema)).schema,
        ...membersOf(schema).map(([, member]) => member),
      ].flatMap((one) => valuesOf(one)),
    )
    expect(values.length).toBeGreaterThan(100)
    const codes = new Set(textOf('docs/errors.md').match(/(?<=^### )\w+$/gm))
    // Texts of StorageException and of one value alone.
    const others = ['PUT', ...valuesOf(openapi.components.schemas.Problem.properties.limit)]
    const missing = values.filter(
      (value) =>
        !codes.has(value) &&
        !others.includes(value) &&
        !code.enumerations.includes(`: return "${value}";`) &&
        !code.models.includes(`, "${value}");`),
    )
    expect(missing).toEqual([])
  })

  it('need nothing of .NET that IL2CPP strips or a browser lacks', () => {
    const sources = Object.values(code).join('')
    for (const word of [
      'System.Reflection',
      'JsonConvert',
      'JsonSerializer',
      'ToObject',
      'dynamic ',
      'HttpClient',
    ])
      expect(sources).not.toContain(word)
  })
})

function valuesOf(schema: unknown): string[] {
  const { data } = Schema.safeParse(resolved(schema))
  return (data?.enum ?? []).filter((value) => typeof value === 'string')
}
