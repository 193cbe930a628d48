import { z } from '@hono/zod-openapi'

/** A schema of the API description, as far as the clients' sources are made from it. */
export interface Schema {
  $ref?: string | undefined
  type?: string | string[] | undefined
  format?: string | undefined
  description?: string | undefined
  enum?: (string | number | boolean | null)[] | undefined
  properties?: Record<string, Schema> | undefined
  required?: string[] | undefined
  items?: Schema | undefined
  allOf?: Schema[] | undefined
  oneOf?: Schema[] | undefined
  anyOf?: Schema[] | undefined
  additionalProperties?: boolean | Schema | undefined
  example?: unknown
}

export const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    description: z.string().optional(),
    enum: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    items: Schema.optional(),
    allOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    anyOf: z.array(Schema).optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
    example: z.unknown().optional(),
  }),
)

/** The name of the schema that a `$ref` leads to; undefined for a schema without one. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)
