import { z } from '@hono/zod-openapi'

/** The parts of a schema that these functions use. */
export interface Schema {
  type?: string | string[]
  format?: string
  maximum?: number
  description?: string
  default?: unknown
  example?: unknown
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  discriminator?: { propertyName: string }
  $ref?: string
}

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    maximum: z.number().optional(),
    enum: z.array(z.unknown()).optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    items: Schema.optional(),
    allOf: z.array(Schema).optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    discriminator: z.object({ propertyName: z.string() }).optional(),
    $ref: z.string().optional(),
  }),
)

/** Every schema in a description: components, parameters, headers and bodies, with nested schemas. */
export function* schemasIn(value: unknown, key = ''): Generator<Schema> {
  if (typeof value !== 'object' || value === null || key === 'example') return
  for (const [name, member] of Object.entries(value)) {
    if (name === 'schema') yield* schemaAndParts(Schema.parse(member))
    else if (name === 'schemas')
      for (const one of Object.values(member ?? {})) yield* schemaAndParts(Schema.parse(one))
    else yield* schemasIn(member, name)
  }
}

function* schemaAndParts(schema: Schema): Generator<Schema> {
  yield schema
  const { properties = {}, items, allOf = [], anyOf = [], oneOf = [] } = schema
  for (const part of [...Object.values(properties), ...(items ? [items] : []), ...allOf, ...anyOf, ...oneOf])
    yield* schemaAndParts(part)
}

/**
 * The example of a schema without references: its own, or one composed of the examples of its parts.
 *
 * @throws when a part has none
 */
export function exampleOf(given: unknown, place = ''): unknown {
  const schema = Schema.parse(given)
  if (schema.example !== undefined) return schema.example
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  const { type, oneOf, anyOf, allOf, items, properties } = schema
  if (schema.enum) return schema.enum[0]
  if (oneOf) return exampleOf(oneOf[0], place)
  if (anyOf) return exampleOf(anyOf[0], place)
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleOf(part, place)))
  if (items) return [exampleOf(items, place)]
  if (properties) return membersOf(schema, place)
  if (type === 'boolean') return false
  if ([type].flat().includes('null')) return null
  throw new Error(`no example of ${place}: ${JSON.stringify(schema)}`)
}

function membersOf({ properties = {}, required = Object.keys(properties) }: Schema, place: string): object {
  const members = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(members.map(([name, of]) => [name, exampleOf(of, `${place}/${name}`)]))
}
