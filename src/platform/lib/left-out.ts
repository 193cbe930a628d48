/** Stands in the bundle for code of dependencies that the service never calls (`[alias]` in wrangler.toml). */

/** In place of `debug`, which file-type's reader of archives logs with. */
export default function createLog(): () => void {
  return () => {}
}

/** In place of parts of zod that read and write JSON Schema, and that compile schemas. */
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

/** zod asks for the writers with each schema that it makes, and calls them with `toJSONSchema` only. */
function neverCalled(): unknown {
  return () => {
    throw new Error('zod is bundled without this.')
  }
}
