/** Prints the table of the types of events in docs/events.md, as src/platform/events/types.ts has them. */
import { z } from '@hono/zod-openapi'
import { eventTypes } from '../../src/platform/events/types.ts'

const Member = z.object({
  type: z.union([z.string().transform((type) => [type]), z.array(z.string())]).default([]),
  enum: z.array(z.union([z.string(), z.number()])).default([]),
  anyOf: z.array(z.object({ type: z.string() })).default([]),
  description: z.string().optional(),
})

/** The values of a member, its type when it is no text, and when it is null. */
function toldOf(property: unknown): string[] {
  const { type, enum: values, anyOf, description } = Member.parse(property)
  const types = [...type, ...anyOf.map((one) => one.type)]
  const named = values.length > 0 ? values.map((value) => `\`${value}\``) : types.filter(isTold)
  return [...named, description ?? (types.includes('null') ? 'or null' : '')].filter((part) => part !== '')
}

function isTold(type: string): boolean {
  return type !== 'string' && type !== 'null'
}

const rows = Object.entries(eventTypes).map(([type, schema]) => {
  const { properties = {}, description = '' } = z.toJSONSchema(schema, { io: 'output' })
  const members = Object.entries(properties).map(([name, property]) => {
    const told = toldOf(property)
    return told.length > 0 ? `\`${name}\` (${told.join(', ')})` : `\`${name}\``
  })
  return `| \`${type}\` | ${description} | ${members.join(', ')} |`
})

console.log(`| type | when | data |\n| --- | --- | --- |\n${rows.join('\n')}`)
