import { create } from 'content-disposition'

/**
 * The types that a browser may show inline (docs/conformance.md#files). The list is exact, because browsers parse some
 * types that look like these, such as video/x+xml, as XML, which can run scripts.
 */
const inlineTypes: ReadonlySet<string> = new Set([
  ...['png', 'jpeg', 'gif', 'webp', 'avif'].map((subtype) => `image/${subtype}`),
  ...['mpeg', 'aac', 'ogg', 'opus', 'wav', 'flac', 'webm', 'mp4'].map((subtype) => `audio/${subtype}`),
  ...['mp4', 'webm', 'ogg', 'quicktime'].map((subtype) => `video/${subtype}`),
  'text/plain',
])

/**
 * The Content-Disposition under which content is served (RFC 6266): the name in UTF-8, and an ASCII fallback. The
 * fallback has no runs of spaces, because signing replaces a run by one space. Without a name it only says whether the
 * content is shown or saved.
 */
export function contentDisposition(name: string | undefined, mime_type: string): string {
  const type = inlineTypes.has(mime_type) ? 'inline' : 'attachment'
  if (name === undefined) return create(undefined, { type })
  const fallback = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_').replace(/ +/g, ' ')
  return create(name, { type, fallback })
}
