/** Stands in the bundle for code of dependencies that the service never calls (`[alias]` in wrangler.toml). */

/** In place of `debug`, which file-type's reader of archives logs with. */
export default function createLog(): () => void {
  return () => {}
}

/** In place of zod's reader of JSON Schema. */
export function fromJSONSchema(): never {
  throw new Error('zod is bundled without fromJSONSchema.')
}
