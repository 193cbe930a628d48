import { describe, expect, it } from 'vitest'
import {
  codesOf,
  descriptionPaths,
  endpoints,
  isDescribed,
  type Operation,
  operatorEndpoints,
  read,
  validatorOf,
} from '../support/description.ts'
import { statusOfCode } from '../support/exposed.ts'
import { exampleOf, type Schema, schemasIn } from './schemas.ts'

interface Written {
  paths: Record<string, object>
  components: Record<string, Record<string, unknown>>
}

const texts = {
  clients: await read(descriptionPaths.clients),
  operators: await read(descriptionPaths.operators),
}
const written: Record<keyof typeof texts, Written> = {
  clients: JSON.parse(texts.clients),
  operators: JSON.parse(texts.operators),
}

/** By which members one of several is told apart, in each description; undefined where it is by what is there. */
const discriminators = {
  // An open upload is told by `url` or `multipart`; what a completed one has made by `file` or `asset`. The answer about
  // one of many files or assets by `url` or `code`, and that about its update by `platform` or `code`.
  clients: ['state', 'upload_type', undefined, undefined, undefined, undefined, undefined],
  operators: [],
}

const audiences = [
  ['clients', await endpoints()],
  ['operators', await operatorEndpoints()],
] as const

describe.each(audiences)('a schema of the description for %s', (audience) => {
  const schemas = [...schemasIn(written[audience])]

  it('is written out once: what has the same shape is the same component', () => {
    expect(schemas.length).toBeGreaterThan(80)
    const shapes = Map.groupBy(schemas.filter(isShape), (schema) => JSON.stringify(shapeOf(schema)))
    expect([...shapes].filter(([, uses]) => uses.length > 1)).toEqual([])
  })

  it('of whole numbers has a format: int32 where none is larger, int64 for bytes, times and counts', () => {
    const numbers = schemas.filter(({ type }) => [type].flat().includes('integer'))
    expect(new Set(numbers.map(({ format }) => format))).toEqual(new Set(['int32', 'int64']))
    for (const number of numbers.filter(({ format }) => format === 'int32'))
      expect(number.maximum ?? 0).toBeLessThan(2 ** 31)
    const counted = schemas.flatMap(({ properties = {} }) => Object.entries(properties))
    const long = counted.filter(([name]) =>
      /(^|_)(bytes|rows|users)$|^(total|unread|count|marked_count|seq)$/.test(name),
    )
    expect(long.length).toBeGreaterThan(5)
    for (const [name, { $ref, format }] of long)
      expect($ref ?? format, name).toBe($ref ? '#/components/schemas/ContentSize' : 'int64')
  })

  it('that may be one of several says by which member it is told apart, where one member does', () => {
    const told = schemas.filter(({ oneOf }) => oneOf).map(({ discriminator }) => discriminator?.propertyName)
    expect(told.sort()).toEqual(discriminators[audience])
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

describe('the two descriptions', () => {
  it('share no operation, and a component that both have is the same in both', () => {
    const [clients, operators] = [written.clients, written.operators]
    const paths = new Set(Object.keys(clients.paths))
    expect(Object.keys(operators.paths).filter((path) => paths.has(path))).toEqual([])
    const ids = audiences.flatMap(([, all]) => all.map(({ operation }) => operation.operationId))
    expect(new Set(ids).size).toBe(ids.length)
    const shared = Object.entries(operators.components).flatMap(([kind, components]) =>
      Object.keys(components)
        .filter((name) => clients.components[kind]?.[name] !== undefined)
        .map((name) => [kind, name] as const),
    )
    expect(shared.map(([, name]) => name)).toEqual(expect.arrayContaining(['Problem', 'Timestamp', 'bearer']))
    for (const [kind, name] of shared)
      expect(operators.components[kind]?.[name], name).toEqual(clients.components[kind]?.[name])
  })
})

/** Values that differ in one place: by a member more, a member less, another value there. */
function othersThan(value: unknown): unknown[] {
  const instead = [null, 'x', -1, 1.5, [], {}]
  if (typeof value !== 'object' || value === null) return instead
  const members = Object.entries(value)
  const changed = members.flatMap(([name, member]) =>
    othersThan(member).map((other) => (Array.isArray(value) ? [other] : { ...value, [name]: other })),
  )
  if (Array.isArray(value)) return [...instead, ...changed, [...value, ...value], [...value, 'x']]
  const less = members.map(([name]) => Object.fromEntries(members.filter(([other]) => other !== name)))
  return [...instead, ...changed, ...less, { ...value, surplus: 1 }]
}

const named = audiences.flatMap(([, all]) =>
  all.map(({ operation }) => [operation.operationId, operation] as const),
)

describe.each(named)('%s', (operationId, operation) => {
  const { responses } = operation

  it('is named as what it does', () => {
    const verbs =
      /^(?:decide$|(?:list|get|create|edit|delete|restore|purge|empty|leave|revoke|set|start|presign|complete|abort|branch|rollBack|browse|count|mark|publish|open|block|unblock|erase|move|undo|reconcile|replace|resend|discard|read|write|mute|unmute|lift|answer|end)[A-Z])/
    expect(operationId).toMatch(verbs)
  })

  it('has an example of its body and of each answer, each is what it describes, and what tests compare answers with agrees about others', () => {
    const bodies = [operation.requestBody, ...Object.values(responses)]
    for (const body of bodies) {
      if (!body) continue
      for (const { schema } of Object.values(body.content ?? {})) {
        const example = exampleOf(schema)
        expect(validatorOf(schema).validate(example).errors, JSON.stringify(example)).toEqual([])
        expect(isDescribed(schema, example), JSON.stringify(example)).toBe(true)
        for (const other of othersThan(example))
          expect(isDescribed(schema, other), JSON.stringify(other)).toBe(
            validatorOf(schema).validate(other).valid,
          )
      }
    }
  })

  it('says with each error which codes it has, in words and as an enumeration', () => {
    const errors = Object.entries(responses).filter(([, response]) => codesOf(response).length > 0)
    expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', 'default']))
    for (const [status, response] of errors) {
      for (const code of codesOf(response)) {
        const statusOfIt = statusOfCode.get(code)
        expect(statusOfIt, code).toBeDefined()
        expect(response.description).toContain(`\`${code}\``)
        if (status !== 'default') expect(String(statusOfIt), code).toBe(status)
        else expect(response.description).toContain(`${statusOfIt} \`${code}\``)
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
    const { paths, components } = written.clients
    expect(Object.keys(paths)).not.toContain('/v1/notifications/ws')
    expect(JSON.stringify(paths)).not.toContain('"101"')
    expect(Object.keys(components.pathItems ?? {})).toEqual(['NotificationSocket'])
  })
})
