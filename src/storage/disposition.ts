import { create } from 'content-disposition'

/** What a browser may show in place; anything else could run as a page, so it is saved instead. */
const shownInline = /^(image\/(png|jpeg|gif|webp|avif)|audio\/.+|video\/.+|text\/plain)$/

/**
 * The Content-Disposition under which content is served (RFC 6266): the name in UTF-8, with an ASCII likeness
 * for clients that know no better. Single spaces in it, because signing folds runs of them. Without a name it only
 * tells whether to show or to save.
 */
export function contentDisposition(name: string | undefined, mime_type: string): string {
  const type = shownInline.test(mime_type) ? 'inline' : 'attachment'
  if (name === undefined) return create(undefined, { type })
  const fallback = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_').replace(/ +/g, ' ')
  return create(name, { type, fallback })
}
