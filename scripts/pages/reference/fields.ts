/** Renders the members of a schema as a list, with those of nested objects in it. */

import { type Description, nameOf, type Schema } from '../../describe/description.ts'
import { escaped } from '../escaped.ts'
import { inline } from './text.ts'

/** A member of an object, or a parameter of a request. */
interface Field {
  name: string
  schema: Schema
  isRequired: boolean
  description?: string | undefined
  /** Where a parameter is in the request. */
  in?: string
  /** What the client does about it. */
  option?: string | undefined
}

/** Where a schema is rendered. */
interface Place {
  /** Whether the service answers it: then members that may be absent are marked, and else those that a client has to send. */
  isAnswer: boolean
  /** The schemas around it: one that contains itself is not rendered again. */
  within?: readonly string[]
}

/** Renders the members of an object, of the objects of an array, or of each of several schemas. */
export function fieldsOf(schema: Schema, description: Description, place: Place): string {
  const name = nameOf(schema)
  const now = name === undefined ? place : { ...place, within: [...(place.within ?? []), name] }
  const { properties, required = [], oneOf, items } = description.resolved(schema)
  if (oneOf) return oneOf.map((one) => choiceOf(one, description, now)).join('')
  if (items) return fieldsOf(items, description, now)
  if (!properties || Object.keys(properties).length === 0) return ''
  const fields = Object.entries(properties).map(([name, member]) =>
    fieldOf({ name, schema: member, isRequired: required.includes(name) }, description, now),
  )
  return `<ul class="fields">${fields.join('')}</ul>`
}

/** Renders a member or a parameter: its name, type and limits, its description, and its own members. */
export function fieldOf(field: Field, description: Description, place: Place): string {
  const { name, schema, isRequired, option } = field
  const whole = description.resolved(schema)
  const text = [field.description, whole.description].filter(Boolean).join('. ')
  const values = valuesOf(whole)
  const nested = nestedOf(schema, description, place)
  return [
    `<li><p><code class="name">${escaped(name)}</code> <span class="type">${field.in ? `${field.in}, ` : ''}${typeOf(schema, description)}</span>`,
    isRequired && !place.isAnswer ? ' <span class="required">required</span>' : '',
    !isRequired && place.isAnswer ? ' <span class="type">may be absent</span>' : '',
    '</p>',
    text && `<p>${inline(text)}</p>`,
    values && `<p>One of ${values}</p>`,
    option && `<p>In the client: ${inline(option)}</p>`,
    nested,
    '</li>',
  ].join('')
}

/** A choice of several schemas, named by the value that tells it from the others. */
function choiceOf(schema: Schema, description: Description, place: Place): string {
  const { properties = {}, oneOf } = description.resolved(schema)
  if (oneOf) return oneOf.map((one) => choiceOf(one, description, place)).join('')
  const fields = fieldsOf(schema, description, place)
  if (fields === '') return ''
  const telling = Object.entries(properties)
    .map(([name, member]) => ({ name, values: description.resolved(member).enum ?? [] }))
    .filter(({ name, values }) => values.length > 0 && ['upload_type', 'state', 'code'].includes(name))
    .sort((one, other) => one.values.length - other.values.length)[0]
  const title = wordsOf(nameOf(schema))
  const when =
    telling && telling.values.length < 4
      ? ` <span class="type">${telling.name}: ${telling.values.join(', ')}</span>`
      : ''
  return `<details><summary>${title}${when}</summary>${fields}</details>`
}

function nestedOf(schema: Schema, description: Description, place: Place): string {
  const { items } = description.resolved(schema)
  const inner = items ?? schema
  const name = nameOf(inner) ?? inner.anyOf?.map(nameOf).find((one) => one !== undefined)
  if (name !== undefined && place.within?.includes(name)) return ''
  const { properties, oneOf } = description.resolved(inner)
  const count = Object.keys(properties ?? {}).length
  if (count === 0 && !oneOf) return ''
  const fields = fieldsOf(inner, description, place)
  if (fields === '' || oneOf) return fields
  const title = name === undefined ? 'Members' : wordsOf(name)
  return `<details><summary>${title} <span class="type">${count} ${count === 1 ? 'member' : 'members'}</span></summary>${fields}</details>`
}

/** `FileRecord` as `File record`. */
function wordsOf(name = 'Object'): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function valuesOf({ enum: values = [], items }: Schema): string {
  const all = items?.enum ?? values
  return all.length > 1 && all.length <= 20
    ? all.map((value) => `<code class="value">${escaped(String(value))}</code>`).join(' ')
    : ''
}

/** The type of a schema with its limits, like `integer, 1 to 100, default 50`. */
function typeOf(schema: Schema, description: Description): string {
  const whole = description.resolved(schema)
  const { enum: values, format, minimum, exclusiveMinimum, maximum, pattern, oneOf } = whole
  const named = { binary: 'bytes', uri: 'URL' }[format ?? '']
  const types = [whole.type ?? (oneOf ? 'object' : values ? 'string' : 'any')].flat()
  const name = types.map(
    (type) => (type === 'array' ? arrayOf(whole, description) : type === 'string' && named) || type,
  )
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1)
  const [only] = values?.length === 1 ? values : whole.const === undefined ? [] : [whole.const]
  return [
    name.join(' or '),
    only !== undefined && `always <code class="value">${escaped(String(only))}</code>`,
    range(least, maximum, ''),
    range(whole.minLength, whole.maxLength, ' characters'),
    range(whole.minItems, whole.maxItems, ' items'),
    whole.uniqueItems && 'no repetition',
    pattern && `<code>${escaped(pattern)}</code>`,
    isShown(whole.default) && `default <code>${escaped(String(whole.default))}</code>`,
  ]
    .filter(Boolean)
    .join(', ')
}

const isShown = (value: unknown) => value !== undefined && !Array.isArray(value)

function arrayOf({ items = {} }: Schema, description: Description): string {
  return `array of ${typeOf(items, description).split(',')[0]}s`
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const [from, to] = [least, most].map((value) => value?.toLocaleString('en'))
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`
  if (from !== undefined) return `at least ${from}${unit}`
  return to === undefined ? '' : `at most ${to}${unit}`
}
