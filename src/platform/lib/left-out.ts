/** Replaces code of dependencies in the bundle that the service never calls (`[alias]` in wrangler.toml). */

/** Replaces `debug`, with which file-type's reader of archives logs. */
export default function createLog(): () => void {
  return () => {}
}

/** Replaces the parts of zod that read and write JSON Schema, and that compile schemas. */
export const [
  fromJSONSchema,
  toJSONSchema,
  createToJSONSchemaMethod,
  createStandardJSONSchemaMethod,
  JSONSchemaGenerator,
  compile,
  withParser,
  toZod,
  INVALID,
  ZodCompileAsyncError,
  ZodCompileUnsupportedError,
] = Array.from({ length: 11 }, () => neverCalled)

/** zod calls this for the JSON Schema writers of each new schema, and calls the writers only in `toJSONSchema`. */
function neverCalled(): unknown {
  return () => {
    throw new Error('zod is bundled without this.')
  }
}
