/** Renders Markdown as GitHub does: anchors for headings, tables, and Mermaid diagrams. */
import { Marked, type RendererObject } from 'marked'

/** The address of a link or picture, with the title of the page; undefined renders its text alone. */
type Resolve = (link: string) => { address: string; title?: string } | undefined

/** A section of a page: a heading and the text below it. */
export interface Section {
  anchor: string
  heading: string
  text: string
}

/**
 * Renders a page of the project, and returns its sections. HTML in the page is trusted. A link that `resolve` does not know
 * becomes plain text; a link whose text is a file name gets the title of the page instead.
 */
export function renderMarkdown(markdown: string, resolve: Resolve): { html: string; sections: Section[] } {
  const anchors = new Map<string, number>()
  const sections: Section[] = []

  function anchorOf(heading: string): string {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const seen = anchors.get(anchor) ?? 0
    anchors.set(anchor, seen + 1)
    return seen === 0 ? anchor : `${anchor}-${seen}`
  }

  const renderer: RendererObject = {
    heading({ tokens, depth, text }) {
      const html = this.parser.parseInline(tokens)
      const anchor = escaped(anchorOf(text))
      sections.push({ anchor, heading: text.replaceAll('`', ''), text: '' })
      return depth === 1
        ? `<h1 id="${anchor}">${html}</h1>\n`
        : `<h${depth} id="${anchor}"><a href="#${anchor}">${html}</a></h${depth}>\n`
    },
    link({ href, text, tokens }) {
      const found = resolve(href)
      const html =
        found?.title && text.endsWith('.md') ? escaped(found.title) : this.parser.parseInline(tokens)
      return found === undefined ? html : `<a href="${escaped(found.address)}">${html}</a>`
    },
    image({ href, text }) {
      const found = resolve(href)
      return found
        ? `<img src="${escaped(found.address)}" alt="${escaped(text)}" loading="lazy">`
        : escaped(text)
    },
    code({ text, lang }) {
      return lang === 'mermaid'
        ? `<pre class="diagram" data-diagram="text">${escaped(text)}</pre>\n`
        : `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`
    },
    table(token) {
      const row = (cells: typeof token.header, tag: string) =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`
      const body = token.rows.map((cells) => row(cells, 'td')).join('')
      return `<div class="table"><table>\n<thead>${row(token.header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`
    },
  }
  const html = new Marked({ async: false, renderer }).parse(markdown, { async: false })
  // The text below each heading, for the search index.
  const texts = markdown
    .replaceAll(/^```mermaid\n.*?^```$/gms, '')
    .split(/^#+ .*$/m)
    .slice(1)
  for (const [index, section] of sections.entries()) section.text = plain(texts[index] ?? '')
  return { html, sections }
}

/** The plain text of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/^[-:| ]+$|^```\w*$/gm, ' ')
    .replaceAll(/\]\([^)]*\)|[`*|[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Escapes text for HTML content and attributes. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
