import { z } from '@hono/zod-openapi'

/** Returns a maker of schemas that read a value of an OpenAPI document, or the value to which its `$ref` leads. */
export function referencesIn(document: unknown) {
  const resolved = (value: unknown): unknown => {
    const { data } = z.object({ $ref: z.string() }).safeParse(value)
    if (!data) return value
    const steps = data.$ref.split('/').slice(1)
    return resolved(
      steps.reduce<unknown>((at, step) => z.record(z.string(), z.unknown()).parse(at)[step], document),
    )
  }
  return <Output extends z.ZodType>(schema: Output) => z.preprocess(resolved, schema)
}
