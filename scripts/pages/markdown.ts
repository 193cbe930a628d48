/** Renders Markdown as GitHub does (anchors for headings, tables, Mermaid diagrams), with code in colour and in tabs. */
import { Marked, type RendererObject, type Token } from 'marked'
import { examplesOf, renderExamples } from './code.ts'
import { escaped } from './escaped.ts'

/** The address of a link or picture, with the title of the page; undefined renders its text alone. */
type Resolve = (link: string) => { address: string; title?: string } | undefined

/** A section of a page: a heading and the text below it. */
export interface Section {
  anchor: string
  depth: number
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
      sections.push({ anchor, depth, heading: text.replaceAll('`', ''), text: '' })
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
    code(code) {
      return code.lang === 'mermaid'
        ? `<pre class="diagram" data-diagram="text">${escaped(code.text)}</pre>\n`
        : renderExamples([{ code }])
    },
    table(token) {
      const cellOf = ({ text, tokens }: (typeof token.header)[number], tag: string) =>
        text === '' ? '<td></td>' : `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
      const row = (cells: typeof token.header, tag: string) =>
        `<tr>${cells.map((cell) => cellOf(cell, tag)).join('')}</tr>\n`
      const body = token.rows.map((cells) => row(cells, 'td')).join('')
      return `<div class="table"><table>\n<thead>${row(token.header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`
    },
  }
  const marked = new Marked({ async: false, renderer })
  const html = examplesOf(marked.lexer(markdown)).map((part) => {
    const rendered = Array.isArray(part) ? renderExamples(part) : marked.parser([part])
    const section = sections.at(-1)
    if (section) section.text = `${section.text} ${searched(part)}`.trim()
    return rendered
  })
  return { html: html.join(''), sections }
}

/** The text of a part of a page that the search looks through. */
function searched(part: ReturnType<typeof examplesOf>[number]): string {
  const tokens: Token[] = Array.isArray(part)
    ? part.flatMap(({ code, printed }) => (printed ? [code, printed] : [code]))
    : [part]
  return tokens
    .filter((token) => token.type !== 'heading' && !('lang' in token && token.lang === 'mermaid'))
    .map(({ raw }) => plain(raw))
    .join(' ')
}

/** The plain text of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/^[-:| ]+$|^```\w*$/gm, ' ')
    .replaceAll(/\]\([^)]*\)|[`*|[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
