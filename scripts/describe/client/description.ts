/** The API description, as far as the client's sources are made from it. */

import { z } from '@hono/zod-openapi'
import { describe } from '../../../src/describe.ts'
import { referencesIn } from '../references.ts'
import { nameOf, Schema } from '../schema.ts'

const document = z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(await describe())))

const ref = referencesIn(document)

const Json = z.object({ 'application/json': z.object({ schema: Schema }).optional() })
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z
    .array(
      ref(
        z.object({
          in: z.string(),
          name: z.string(),
          required: z.boolean().optional(),
          description: z.string().optional(),
          schema: Schema,
        }),
      ),
    )
    .default([]),
  requestBody: ref(z.object({ content: Json, required: z.boolean().optional() })).optional(),
  responses: z.record(
    z.string(),
    ref(z.object({ headers: z.record(z.string(), z.unknown()).default({}), content: Json.optional() })),
  ),
})
export type Operation = z.output<typeof Operation>

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const
type Method = (typeof methods)[number]
const Paths = z.record(
  z.string(),
  z.object(Object.fromEntries(methods.map((method) => [method, Operation.optional()]))),
)

/** Every operation, by its `operationId`. */
export const operations: ReadonlyMap<string, { path: string; method: Method; operation: Operation }> =
  new Map(
    Object.entries(Paths.parse(document.paths)).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = item[method]
        return operation ? [[operation.operationId, { path, method, operation }] as const] : []
      }),
    ),
  )

/** The schemas that have a name. */
export const schemas = z
  .object({ components: z.object({ schemas: z.record(z.string(), Schema) }) })
  .parse(document).components.schemas

/** The schema itself, or that to which its `$ref` leads. */
export function schemaOf(schema: Schema): Schema {
  const name = nameOf(schema)
  return name === undefined ? schema : (schemas[name] ?? {})
}
