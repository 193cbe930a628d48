import { format as formats, type Schema, ucs2length } from '@cfworker/json-schema'

/** Adds the members of an object that a schema describes to `described`. */
type Test = (value: unknown, described: Set<string>) => boolean

const annotations = new Set(['description', 'example', 'default', 'discriminator'])

/**
 * A function that tests values against a schema, eight times as fast as the validator, which notes the place of each member. It may
 * refuse what the validator takes (equal objects in a list without repetitions), and takes nothing that the validator refuses
 * (test/http/description.test.ts). References and keywords that the descriptions don't have are an error.
 */
export function schemaTest(schema: Schema): (value: unknown) => boolean {
  const test = testOf(schema)
  return (value) => test(value, new Set())
}

function testOf(schema: Schema | boolean): Test {
  if (typeof schema === 'boolean') return () => schema
  const { type, enum: choices, const: constant, allOf = [], anyOf, oneOf, ...rest } = schema
  const others = { ...ofTexts(rest), ...ofNumbers(rest), ...ofLists(rest), ...ofObjects(rest) }
  const known = new Set([...keywords, ...annotations])
  const unknown = Object.keys(rest).filter((keyword) => !known.has(keyword) && !keyword.startsWith('x-'))
  if (unknown.length > 0) throw new Error(`A test of the keywords ${unknown.join(', ')} is missing.`)
  const types = type === undefined ? undefined : new Set<string>([type].flat())
  const { texts, numbers, lists, objects } = others
  const all = allOf.map(testOf)
  const alternatives = [
    ...(anyOf ? [{ tests: anyOf.map(testOf), most: anyOf.length }] : []),
    ...(oneOf ? [{ tests: oneOf.map(testOf), most: 1 }] : []),
  ]
  return (value, described) => {
    const kind = kindOf(value)
    if (types && !types.has(kind) && !(types.has('integer') && Number.isInteger(value))) return false
    if (choices && !choices.includes(value)) return false
    if (constant !== undefined && value !== constant) return false
    if (!all.every((test) => test(value, described))) return false
    if (!alternatives.every((some) => isOneOf(some, value, described))) return false
    if (typeof value === 'string') return texts(value)
    if (typeof value === 'number') return numbers(value)
    if (Array.isArray(value)) return lists(value)
    return !isObject(value) || objects(value, described)
  }
}

const keywords = [
  ...['minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'properties', 'required', 'minProperties'],
  ...['maxProperties', 'additionalProperties', 'unevaluatedProperties'],
]

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Whether a value is one of the alternatives, or several. */
function isOneOf({ tests, most }: { tests: Test[]; most: number }, value: unknown, described: Set<string>) {
  let count = 0
  for (const test of tests) {
    const own = new Set<string>()
    if (!test(value, own)) continue
    count++
    for (const name of own) described.add(name)
  }
  return count > 0 && count <= most
}

function ofTexts({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format = '' }: Schema) {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  const isFormat = formats[format]
  const texts = (text: string) =>
    (text.length <= maxLength || ucs2length(text) <= maxLength) &&
    (minLength === 0 || ucs2length(text) >= minLength) &&
    (!expression || expression.test(text)) &&
    (!isFormat || isFormat(text))
  return { texts }
}

function ofNumbers({
  minimum = Number.NEGATIVE_INFINITY,
  maximum = Number.POSITIVE_INFINITY,
  exclusiveMinimum = Number.NEGATIVE_INFINITY,
}: Schema) {
  const numbers = (value: number) => value >= minimum && value <= maximum && value > Number(exclusiveMinimum)
  return { numbers }
}

function ofLists({ items = true, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems }: Schema) {
  if (Array.isArray(items)) throw new Error('A test of items at places is missing.')
  const test = testOf(items)
  const lists = (values: unknown[]) =>
    values.length >= minItems &&
    values.length <= maxItems &&
    (!uniqueItems || (!values.some(isObject) && new Set(values).size === values.length)) &&
    values.every((value) => test(value, new Set()))
  return { lists }
}

function ofObjects({
  properties = {},
  required = [],
  minProperties = 0,
  maxProperties = Number.POSITIVE_INFINITY,
  additionalProperties,
  unevaluatedProperties,
}: Schema) {
  const members = new Map(Object.entries(properties).map(([name, of]) => [name, testOf(of)]))
  const additional = additionalProperties === undefined ? undefined : testOf(additionalProperties)
  const undescribed = unevaluatedProperties === undefined ? undefined : testOf(unevaluatedProperties)
  const objects = (value: Record<string, unknown>, described: Set<string>) => {
    const names = Object.keys(value)
    if (names.length < minProperties || names.length > maxProperties) return false
    if (!required.every((name) => Object.hasOwn(value, name))) return false
    for (const name of names) {
      const test = members.get(name) ?? additional
      if (!test) continue
      if (!test(value[name], new Set())) return false
      described.add(name)
    }
    return !undescribed || names.every((name) => described.has(name) || undescribed(value[name], new Set()))
  }
  return { objects }
}
