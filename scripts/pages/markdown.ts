/** Markdown as HTML, in the way of GitHub: anchors of headings, tables, and Mermaid's diagrams. */
import { Marked, type RendererObject } from 'marked'

/** Where a link leads; undefined when it leads nowhere, and its text stands alone. */
type Resolve = (link: string) => string | undefined

/** Renders a page of the project. Its HTML is trusted; a link that `resolve` does not know becomes plain text. */
export function renderMarkdown(markdown: string, resolve: Resolve): string {
  const anchors = new Map<string, number>()

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
      return depth === 1
        ? `<h1 id="${anchor}">${html}</h1>\n`
        : `<h${depth} id="${anchor}"><a href="#${anchor}">${html}</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const html = this.parser.parseInline(tokens)
      const address = resolve(href)
      return address === undefined ? html : `<a href="${escaped(address)}">${html}</a>`
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
  return new Marked({ async: false, renderer }).parse(markdown, { async: false })
}

/** Text for HTML, in an attribute too. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
