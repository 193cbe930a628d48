import { z } from '@hono/zod-openapi'
import { allEndpoints, codesOf, operatorEndpoints } from '../../support/description.ts'

/** As much of JSON Schema as the description uses in requests. */
const JsonSchema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.union([z.string(), z.boolean()])).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), JsonSchema).optional()
  },
  get items() {
    return JsonSchema.optional()
  },
  get oneOf() {
    return z.array(JsonSchema).optional()
  },
})
export type JsonSchema = z.output<typeof JsonSchema>

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: JsonSchema,
})
type Parameter = z.output<typeof Parameter>

const Details = z.object({
  operationId: z.string(),
  parameters: z.array(Parameter).default([]),
  requestBody: z
    .object({
      required: z.boolean().default(false),
      content: z.object({ 'application/json': z.object({ schema: JsonSchema }).optional() }),
    })
    .optional(),
  'x-scopes': z.array(z.string()).default([]),
})

/** One operation, as the service describes it. */
export interface Operation {
  id: string
  method: string
  /** With its parameters in braces. */
  path: string
  parameters: Parameter[]
  body: JsonSchema | undefined
  isBodyRequired: boolean
  /** Whether it is one of the operators' description, whose answers name databases and columns. */
  isForOperators: boolean
  /** What a token must carry. */
  scopes: string[]
  /** The codes of the problems that it says it answers with. */
  codes: string[]
  pattern: RegExp
}

/** Every operation of /openapi.json, then those of /openapi.operators.json. */
export async function describedOperations(): Promise<Operation[]> {
  const forOperators = new Set(await operatorEndpoints())
  return (await allEndpoints()).map((endpoint) => {
    const { method, path, operation } = endpoint
    const details = Details.parse(operation)
    return {
      id: details.operationId,
      method,
      path,
      parameters: details.parameters
        .map((parameter) => ({
          ...parameter,
          name: parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name,
        }))
        .filter(({ name }) => name !== 'x-d1-bookmark'),
      body: details.requestBody?.content['application/json']?.schema,
      isBodyRequired: details.requestBody?.required ?? false,
      isForOperators: forOperators.has(endpoint),
      scopes: details['x-scopes'],
      codes: Object.values(operation.responses).flatMap(codesOf),
      pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`),
    }
  })
}

/** The operation that a request reaches, whatever it was meant for. */
export function operationAt(
  operations: Operation[],
  method: string,
  pathname: string,
): Operation | undefined {
  return operations.find((operation) => operation.method === method && operation.pattern.test(pathname))
}
