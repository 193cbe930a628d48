/** Markdown as HTML, in the way of GitHub: anchors of headings, tables, and Mermaid's diagrams. */
import { Marked, type RendererObject } from 'marked'

/** Where a link or a picture leads, and the title of that page; undefined when it leads nowhere, and its text stands alone. */
type Resolve = (link: string) => { address: string; title?: string } | undefined

/** A part of a page: what stands under a heading. */
export interface Section {
  anchor: string
  heading: string
  text: string
}

/**
 * Renders a page of the project, and tells its sections. Its HTML is trusted. A link that `resolve` does not know becomes
 * plain text, and one whose text is the name of a file gets the title of the page.
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
  // What stands under each heading, to be searched.
  const texts = markdown
    .replaceAll(/^```mermaid\n.*?^```$/gms, '')
    .split(/^#+ .*$/m)
    .slice(1)
  for (const [index, section] of sections.entries()) section.text = plain(texts[index] ?? '')
  return { html, sections }
}

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/^[-:| ]+$|^```\w*$/gm, ' ')
    .replaceAll(/\]\([^)]*\)|[`*|[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Text for HTML, in an attribute too. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
