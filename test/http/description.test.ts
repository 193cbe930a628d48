import { describe, expect, it } from 'vitest'
import { errorCodes, isErrorCode } from '../../src/errors.ts'
import { codesOf, endpoints, type Operation, validatorOf } from '../support/description.ts'
import { exampleOf, type Schema, schemasIn } from '../support/schemas.ts'
import { origin, service } from '../support/service.ts'

const text = await (await service(new Request(`${origin}/openapi.json`))).text()
const written: unknown = JSON.parse(text)
const all = await endpoints()
const named = all.map(({ operation }) => [operation.operationId, operation] as const)

it('has at most 90,000 characters, as it is served', () => {
  expect(text.length).toBeLessThanOrEqual(90_000)
})

describe('a schema', () => {
  const schemas = [...schemasIn(written)]

  it('is written out once: what has the same shape is the same component', () => {
    expect(schemas.length).toBeGreaterThan(200)
    const shapes = Map.groupBy(schemas.filter(isShape), (schema) => JSON.stringify(shapeOf(schema)))
    expect([...shapes].filter(([, uses]) => uses.length > 1)).toEqual([])
  })

  it('of whole numbers has a format: int32 where none is larger, int64 for bytes, times and counts', () => {
    const numbers = schemas.filter(({ type }) => [type].flat().includes('integer'))
    expect(new Set(numbers.map(({ format }) => format))).toEqual(new Set(['int32', 'int64']))
    for (const number of numbers.filter(({ format }) => format === 'int32'))
      expect(number.maximum ?? 0).toBeLessThan(2 ** 31)
    const counted = schemas.flatMap(({ properties = {} }) => Object.entries(properties))
    const long = counted.filter(([name]) => /_bytes$|^(total|unread|count|marked_count|seq)$/.test(name))
    expect(long.length).toBeGreaterThan(8)
    for (const [name, { $ref, format }] of long)
      expect($ref ?? format, name).toBe($ref ? '#/components/schemas/ContentSize' : 'int64')
  })

  it('that may be one of several says by which member it is told apart, where one member does', () => {
    const told = schemas.filter(({ oneOf }) => oneOf).map(({ discriminator }) => discriminator?.propertyName)
    // An open upload by `url` or `multipart`; what a completed one has made by `file` or `asset`.
    expect(told.sort()).toEqual(['state', 'upload_type', undefined, undefined])
  })
})

/** Not a type by itself, a constant, a reference, a list of one, one that may be null, or a text with bounds. */
function isShape({ items, anyOf = [], enum: choices = [], ...schema }: Schema): boolean {
  const isReference = items !== undefined || anyOf.some(({ type }) => type === 'null')
  const parts = ['properties', 'oneOf', 'allOf', 'pattern', 'maxItems']
  return !isReference && (choices.length > 1 || anyOf.length > 0 || parts.some((part) => part in schema))
}

/** A schema without what only its place says. */
function shapeOf({ description: _, default: __, example: ___, ...shape }: Schema) {
  return shape
}

describe.each(named)('%s', (operationId, operation) => {
  const { responses } = operation

  it('is named as what it does', () => {
    const verbs =
      /^(list|get|create|edit|delete|restore|purge|empty|leave|revoke|set|start|presign|complete|abort|branch|rollBack|browse|count|mark|publish|open|block|unblock|erase)[A-Z]/
    expect(operationId).toMatch(verbs)
  })

  it('has an example of its body and of each answer, and each is what it describes', () => {
    const bodies = [operation.requestBody, ...Object.values(responses)]
    for (const body of bodies) {
      if (!body) continue
      for (const { schema } of Object.values(body.content ?? {})) {
        const example = exampleOf(schema)
        expect(validatorOf(schema).validate(example).errors, JSON.stringify(example)).toEqual([])
      }
    }
  })

  it('says with each error which codes it has, in words and as an enumeration', () => {
    const errors = Object.entries(responses).filter(([, response]) => codesOf(response).length > 0)
    expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', 'default']))
    for (const [status, response] of errors) {
      const codes = codesOf(response).filter(isErrorCode)
      expect(codes).toEqual(codesOf(response))
      for (const code of codes) {
        expect(response.description).toContain(`\`${code}\``)
        if (status !== 'default') expect(String(errorCodes[code][0]), code).toBe(status)
        else expect(response.description).toContain(`${errorCodes[code][0]} \`${code}\``)
      }
    }
  })

  it('says which bookmark it takes, and under which id its answer is in the log', () => {
    expect(namesOf(operation)).toContain('X-D1-Bookmark')
    for (const [status, { headers }] of Object.entries(responses).filter(([status]) => Number(status) < 400))
      if (status !== '101') expect(Object.keys(headers ?? {})).toContain('X-Request-Id')
  })
})

const namesOf = ({ parameters = [] }: Operation) => parameters.map(({ name }) => name)

describe('the socket', () => {
  it('is at no path, so that no generator makes a request of it; its opening is a component', () => {
    const { paths, components }: { paths: object; components: { pathItems: object } } = JSON.parse(text)
    expect(Object.keys(paths)).not.toContain('/v1/notifications/ws')
    expect(JSON.stringify(paths)).not.toContain('"101"')
    expect(Object.keys(components.pathItems)).toEqual(['NotificationSocket'])
  })
})
