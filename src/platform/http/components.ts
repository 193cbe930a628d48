/** JSON, as a description is made of it. */
export type Json = string | number | boolean | null | Json[] | Members
export interface Members {
  [name: string]: Json
}

export function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a member; none if there is no such object. */
export function membersOf(value: Json | undefined): Members {
  return isMembers(value) ? value : {}
}

/** The largest integer of 32 bits. */
const MAX_INT32 = 2_147_483_647

/**
 * Moves each schema that has an `x-name` to `schemas`, under that name, and refers to it. What a use may say by itself
 * stays there: description, default, and whether it may be null. An integer without a format gets one.
 *
 * @throws when two schemas that differ have one name
 */
export function shareSchemas(value: Json, schemas: Members): Json {
  if (Array.isArray(value)) return value.map((item) => shareSchemas(item, schemas))
  if (!isMembers(value)) return value
  const shared = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shareSchemas(member, schemas)]),
  )
  return typeof shared['x-name'] === 'string'
    ? referred(shared['x-name'], shared, schemas)
    : withIntegerFormat(shared)
}

function referred(name: string, shared: Members, schemas: Members): Members {
  const { 'x-name': _, 'x-description': about, description, default: standard, type = '', ...rest } = shared
  const types = [type].flat()
  const schema = withIntegerFormat({
    ...rest,
    type: types.find((one) => one !== 'null') ?? type,
    ...(about !== undefined && { description: about }),
  })
  const known = schemas[name] ?? schema
  schemas[name] = known
  if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas: ${name}`)
  const $ref = `#/components/schemas/${name}`
  return {
    ...(types.includes('null') ? { anyOf: [{ $ref }, { type: 'null' }] } : { $ref }),
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
  }
}

function withIntegerFormat(schema: Members): Members {
  const { type, format, maximum } = schema
  if (![type].flat().includes('integer') || format !== undefined) return schema
  const isSmall = typeof maximum === 'number' && maximum <= MAX_INT32
  return { ...schema, format: isSmall ? 'int32' : 'int64' }
}

/** How often each value stands in a list, by its text. */
export function countTexts(values: Json[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) {
    const text = JSON.stringify(value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}
