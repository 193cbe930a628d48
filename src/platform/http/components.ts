/** A JSON value of a description. */
export type Json = string | number | boolean | null | Json[] | JsonObject
/** A JSON object of a description. */
export interface JsonObject {
  [name: string]: Json
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value when it is an object, else an empty object. */
export function objectOrEmpty(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** The largest integer of 32 bits. */
const MAX_INT32 = 2_147_483_647

/**
 * Returns a description in which a `$ref` replaces each schema with an `x-name`, and adds the schema to `schemas` under
 * that name. Description, default and nullability stay beside the `$ref`, because uses of one schema may differ in them. An
 * integer without a format gets one.
 *
 * @throws Error when two different schemas have the same name
 */
export function shareSchemas(value: Json, schemas: JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => shareSchemas(item, schemas))
  if (!isJsonObject(value)) return value
  const shared = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shareSchemas(member, schemas)]),
  )
  return typeof shared['x-name'] === 'string'
    ? moveSchema(shared['x-name'], shared, schemas)
    : withIntegerFormat(shared)
}

/** Adds a schema to `schemas` under a name, and returns the `$ref` to it. */
function moveSchema(name: string, named: JsonObject, schemas: JsonObject): JsonObject {
  const { 'x-name': _, 'x-description': about, description, default: standard, type, ...rest } = named
  const types = type === undefined ? [] : [type].flat()
  const schema = withIntegerFormat({
    ...rest,
    ...(Array.isArray(rest.enum) && { enum: rest.enum.filter((value) => value !== null) }),
    ...(type !== undefined && { type: types.find((one) => one !== 'null') ?? type }),
    ...(about !== undefined && { description: about }),
  })
  const known = schemas[name] ?? schema
  schemas[name] = known
  if (JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`two different schemas are named ${name}`)
  const $ref = `#/components/schemas/${name}`
  return {
    ...(types.includes('null') ? { anyOf: [{ $ref }, { type: 'null' }] } : { $ref }),
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
  }
}

function withIntegerFormat(schema: JsonObject): JsonObject {
  const { type, format, maximum } = schema
  if (![type].flat().includes('integer') || format !== undefined) return schema
  const isSmall = typeof maximum === 'number' && maximum <= MAX_INT32
  return { ...schema, format: isSmall ? 'int32' : 'int64' }
}

/** How often each value occurs in a list, by its JSON text. */
export function countTexts(values: Json[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) {
    const text = JSON.stringify(value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}
