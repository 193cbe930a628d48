/** The API description, as far as the generator of the C# client reads it. */

import { z } from '@hono/zod-openapi'
import { pascal } from '../../../console/src/requests/csharp/names.ts'
import { referencesIn } from '../references.ts'
import { nameOf, Schema } from '../schema.ts'

const Parameter = z.object({
  in: z.enum(['path', 'query', 'header']),
  name: z.string(),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: Schema,
})
export type Parameter = z.output<typeof Parameter>

const Content = z.record(z.string(), z.object({ schema: Schema }))

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const

/** An operation with its method and path. */
export interface Operation {
  id: string
  method: (typeof methods)[number]
  path: string
  summary: string
  description: string | undefined
  needsToken: boolean
  parameters: Parameter[]
  /** The schema of a JSON body. */
  json: Schema | undefined
  bodyIsRequired: boolean
  /** Whether the body is content. */
  sendsContent: boolean
  /** The schemas of the JSON that answers of success have. */
  answers: Schema[]
  answersContent: boolean
  /** The headers of the answers of success. */
  headers: string[]
  /** The codes of the errors that this operation answers, without those that each operation may. */
  codes: string[]
}

const Description = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
})

/** A description whose references can be followed. */
export interface Description {
  schemas: Record<string, Schema>
  operations: Operation[]
}

export function readDescription(json: unknown): Description {
  const { paths, components } = Description.parse(json)
  const ref = referencesIn(json)
  const Response = ref(
    z.object({ headers: z.record(z.string(), z.unknown()).default({}), content: Content.default({}) }),
  )
  const Operation = z.object({
    operationId: z.string(),
    summary: z.string(),
    description: z.string().optional(),
    security: z.array(z.unknown()).optional(),
    parameters: z.array(ref(Parameter)).default([]),
    requestBody: ref(z.object({ content: Content, required: z.boolean().default(false) })).optional(),
    responses: z.record(z.string(), Response),
  })
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      if (!item[method]) return []
      const read = Operation.parse(item[method])
      const successes = Object.entries(read.responses).flatMap(([status, one]) =>
        Number(status) < 300 ? [one] : [],
      )
      const refusals = Object.entries(read.responses).flatMap(([status, one]) =>
        Number(status) >= 400 ? [one] : [],
      )
      const body = read.requestBody?.content
      return {
        id: read.operationId,
        method,
        path,
        summary: read.summary,
        description: read.description,
        needsToken: read.security?.length !== 0,
        parameters: read.parameters.filter(({ name }) => name !== 'X-D1-Bookmark'),
        json: body?.['application/json']?.schema,
        bodyIsRequired: read.requestBody?.required ?? false,
        sendsContent: body !== undefined && !('application/json' in body),
        answers: successes.flatMap(({ content }) => content['application/json']?.schema ?? []),
        answersContent: successes.some(({ content }) =>
          Object.keys(content).some((type) => type !== 'application/json'),
        ),
        headers: [...new Set(successes.flatMap(({ headers }) => Object.keys(headers)))],
        codes: refusals.flatMap(({ content }) => codesOf(content['application/problem+json']?.schema)),
      }
    }),
  )
  return { schemas: components.schemas, operations }
}

function codesOf(schema: Schema | undefined): string[] {
  const codes = schema?.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? []
  return codes.filter((code) => typeof code === 'string')
}

/** How an operation answers a list page by page; undefined for any other. */
export const pagingOf = ({ parameters }: Operation) =>
  (['cursor', 'offset'] as const).find((way) => parameters.some(({ name }) => name === way))

/** Whether an operation is a step of `GameStorage.Saves`, which never writes over what the player has not seen. */
export function isOfSaves({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/v1/saves')
}

/** The method of an operation. A list is awaited page by page, and its method is not. */
export const methodName = (operation: Operation) =>
  `${pascal(operation.id)}${pagingOf(operation) ? '' : 'Async'}`

/** The schema that a reference leads to; other schemas as they are. */
export function schemaOf(schema: Schema, { schemas }: Description): Schema {
  const name = nameOf(schema)
  if (name === undefined) return schema
  const found = schemas[name]
  if (!found) throw new Error(`The description has no schema ${name}.`)
  return schemaOf(found, { schemas, operations: [] })
}

/** Whether null is a value. */
export function isNullable(schema: Schema, description: Description): boolean {
  const { type, anyOf = [] } = schemaOf(schema, description)
  return [type].flat().includes('null') || anyOf.some((one) => isNullable(one, description))
}
