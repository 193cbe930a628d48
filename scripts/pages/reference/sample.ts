import type { Description, Schema } from '../../describe/description.ts'

/** An example of a schema: its own, completed by those of its members. Optional members without an example are left out. */
export function sampleOf(schema: Schema, description: Description): unknown {
  const { example, properties, required = [], oneOf, items, ...whole } = description.resolved(schema)
  const [first] = oneOf ?? []
  if (first && example === undefined) return sampleOf(first, description)
  if (properties) {
    const given = isObject(example) ? example : {}
    const missing = Object.entries(properties).filter(([name]) => required.includes(name) && !(name in given))
    return {
      ...given,
      ...Object.fromEntries(missing.map(([name, member]) => [name, sampleOf(member, description)])),
    }
  }
  if (example !== undefined) return example
  if (whole.const !== undefined) return whole.const
  if (whole.enum) return whole.enum.includes('completed') ? 'completed' : whole.enum[0]
  if (items) return [sampleOf(items, description)]
  const types = [whole.type].flat()
  if (types.includes('null')) return null
  if (types.includes('boolean')) return true
  if (types.includes('integer') || types.includes('number')) return whole.minimum || 1
  return types.includes('object') ? {} : 'text'
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
