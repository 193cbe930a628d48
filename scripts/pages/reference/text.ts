import { errorCodes } from '../../../src/platform/errors.ts'
import { escaped } from '../escaped.ts'

/** Renders a description: code, links and paragraphs. An error code links to its entry. */
export function prose(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n')
}

/** Renders code and links in a line of text. */
export function inline(text: string): string {
  return escaped(text)
    .replaceAll(/\[([^\]]+)\]\(#([^)\s]+)\)/g, '<a href="/guides/errors#$2">$1</a>')
    .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/(?<![\w#>])[A-Z]+(?:_[A-Z]+)+(?![\w<])/g, (word) =>
      word in errorCodes ? linkTo(word) : `<code>${word}</code>`,
    )
}

/** A link to an error code of this page. */
export const linkTo = (code: string): string => `<a href="#${code}"><code>${code}</code></a>`

/** The part of an address that names a group. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replaceAll(/^-|-$/g, '')
