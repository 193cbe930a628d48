import { create } from 'content-disposition'

/**
 * The types that a browser may show in place (decisions, "Files"). The list is exact: a type that merely looks like one
 * of these, such as video/x+xml, is parsed as XML by browsers and could run as a page.
 */
const shownInline: ReadonlySet<string> = new Set([
  ...['png', 'jpeg', 'gif', 'webp', 'avif'].map((subtype) => `image/${subtype}`),
  ...['mpeg', 'aac', 'ogg', 'opus', 'wav', 'flac', 'webm', 'mp4'].map((subtype) => `audio/${subtype}`),
  ...['mp4', 'webm', 'ogg', 'quicktime'].map((subtype) => `video/${subtype}`),
  'text/plain',
])

/**
 * The Content-Disposition under which content is served (RFC 6266): the name in UTF-8, with an ASCII likeness
 * for clients that know no better. Single spaces in it, because signing folds runs of them. Without a name it only
 * tells whether to show or to save.
 */
export function contentDisposition(name: string | undefined, mime_type: string): string {
  const type = shownInline.has(mime_type) ? 'inline' : 'attachment'
  if (name === undefined) return create(undefined, { type })
  const fallback = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_').replace(/ +/g, ' ')
  return create(name, { type, fallback })
}
