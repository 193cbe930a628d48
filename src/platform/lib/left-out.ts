/** Replaces code of dependencies in the bundle that the service never calls (`[alias]` in wrangler.toml). */

/** Replaces `debug`, with which file-type's reader of archives logs. */
export default function createLog(): () => void {
  return () => {}
}

/** Replaces file-type's lists of all formats (`./supported.js`). It only exports them. */
export const [extensions, mimeTypes] = [[], []]
