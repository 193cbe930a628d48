/** The table of event types in docs/events.md, from src/platform/events/types.ts. */
import { z } from '@hono/zod-openapi'
import { eventTypes } from '../../src/platform/events/types.ts'

const Member = z.object({
  type: z.union([z.string().transform((type) => [type]), z.array(z.string())]).default([]),
  enum: z.array(z.union([z.string(), z.number()])).default([]),
  anyOf: z.array(z.object({ type: z.string() })).default([]),
  description: z.string().optional(),
})

/** The possible values of a field, or its type if that is no string, and when the field is null. */
function valuesOf(property: unknown): string[] {
  const { type, enum: values, anyOf, description } = Member.parse(property)
  const types = [...type, ...anyOf.map((one) => one.type)]
  const named = values.length > 0 ? values.map((value) => `\`${value}\``) : types.filter(isNamedType)
  return [...named, description ?? (types.includes('null') ? 'or null' : '')].filter((part) => part !== '')
}

function isNamedType(type: string): boolean {
  return type !== 'string' && type !== 'null'
}

const rows = Object.entries(eventTypes).map(([type, schema]) => {
  const { properties = {}, description = '' } = z.toJSONSchema(schema, { io: 'output' })
  const members = Object.entries(properties).map(([name, property]) => {
    const values = valuesOf(property)
    return values.length > 0 ? `\`${name}\` (${values.join(', ')})` : `\`${name}\``
  })
  return `| \`${type}\` | ${description} | ${members.join(', ')} |`
})

export const eventTable = `| type | when | data |\n| --- | --- | --- |\n${rows.join('\n')}\n`
