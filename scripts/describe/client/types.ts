/** Types of TypeScript for the schemas of the API description. */
import { nameOf, type Schema } from '../description.ts'
import { description } from './description.ts'

/** Whether a schema has a type of its name in the client: an object, a choice or an enumeration. Others are written out. */
export function hasType(name: string): boolean {
  const schema = description.schemas[name] ?? {}
  if (Object.keys(schema.properties ?? {}).length > 0) return true
  return [schema.allOf, schema.oneOf, schema.anyOf, schema.enum].some((part) => part !== undefined)
}

/** The name of the type of a schema: the schema's, unless the client has a class of that name. */
export const typeNameOf = (name: string): string => (name === 'SaveConflict' ? 'SaveConflictProblem' : name)

/** The type of a schema where it is used. */
export function typeOf(schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined) return hasType(name) ? typeNameOf(name) : typeOf(description.followed(schema))
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ')
  const choices = schema.oneOf ?? schema.anyOf
  if (choices) return choices.map(typeOf).join(' | ')
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ')
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => ofType(type, schema))
    .join(' | ')
}

function ofType(type: string, schema: Schema): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array': {
      const item = typeOf(schema.items ?? {})
      return /[ {]/.test(item) ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return schema.properties && Object.keys(schema.properties).length > 0
        ? `{ ${membersOf(schema)} }`
        : `Record<string, ${typeOfOthers(schema)}>`
    default:
      return type
  }
}

function typeOfOthers({ additionalProperties: others }: Schema): string {
  if (typeof others !== 'object') return 'unknown'
  if (others.type === 'string') return 'string'
  return others.type === 'integer' ? 'number' : 'unknown'
}

/** The members of an object, each with what it means. */
export function membersOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, member]) => memberOf(name, member, required.includes(name)))
    .join('\n')
}

/** A member with what it means: its own description, or that of its schema, and its unit. */
export function memberOf(
  name: string,
  member: Schema,
  isRequired: boolean,
  about = member.description,
): string {
  const text = about ?? describedOf(member)
  const unit = unitOf(name, text ?? '')
  const comment = [text, unit].filter(Boolean).join('. ')
  return `${commentOf(comment)}${name}${isRequired ? '' : '?'}: ${typeOf(member)}`
}

/** The description of the schema that a member has. An object's is that of its type. */
function describedOf(member: Schema): string | undefined {
  const choice = (member.anyOf ?? member.oneOf)?.find((one) => one.$ref !== undefined)
  const schema = description.followed(choice ?? member)
  return schema.properties || schema.allOf ? undefined : schema.description
}

function unitOf(name: string, text: string): string | undefined {
  if (name.endsWith('_bytes') && !/\bbytes\b/i.test(text)) return 'In bytes'
  if (name.endsWith('_seconds') && !/\bseconds\b/i.test(text)) return 'In seconds'
  if (/_(at|until)$/.test(name) && !/\bseconds\b/i.test(text)) return 'Unix seconds'
  if (name.endsWith('_percent') && text === '') return 'In percent'
  return undefined
}

/** A comment of documentation; '' for an empty text. */
export function commentOf(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('*/', '*\\/')
    .replace(/([^.!?])$/, '$1.')
  return line === '' ? '' : `/** ${line} */\n`
}
