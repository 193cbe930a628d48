/** The pages of the guides: the search, the list of all guides, and the headings of this one. */
import { escaped } from './escaped.ts'
import { framed } from './frame.ts'
import type { Entry, Group } from './groups.ts'
import type { Section } from './markdown.ts'

/** A page, and what is around its content. */
interface Page {
  title: string
  /** The page's own source, by which the list of guides marks it. */
  source: string
  html: string
  sections: Section[]
  groups: Group[]
  /** The guides before and after this one in its group. */
  previous?: Entry
  next?: Entry
}

/** The HTML of a page. `addressOf` gives the address of a guide's source. */
export function renderPage(page: Page, addressOf: (source: string) => string): string {
  const { title, html, sections, groups, source } = page
  const side = groups.map((group) => groupOf(group, source, addressOf)).join('')
  // The search shows its field first: pages/guide.ts then brings the line of the guide into what is left of the window.
  return framed(
    { title, style: 'guide.css', scripts: ['search.js', 'guide.js'] },
    `<div class="guide">
<nav class="side" aria-label="Guides">
<form class="search" role="search" hidden><label>Search<input type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label><div class="results"><p class="note" role="status"></p><ul></ul></div></form>
<details class="fold"><summary>Guides</summary>${side}</details>
</nav>
${outlineOf(sections)}<main id="content">
${html}${neighboursOf(page, addressOf)}</main>
</div>`,
  )
}

function groupOf({ title, parts }: Group, source: string, addressOf: (source: string) => string): string {
  const entries = parts.flatMap((part) => part.entries)
  const isOpen = entries.some((entry) => entry.source === source)
  const item = (entry: Entry) =>
    `<li><a href="${addressOf(entry.source)}"${entry.source === source ? ' aria-current="page"' : ''}>${escaped(entry.label)}</a></li>`
  const list = parts.map((part) => {
    const items = part.entries.map(item).join('')
    return part.title === ''
      ? items
      : `<li><span class="part">${escaped(part.title)}</span><ul>${items}</ul></li>`
  })
  return `<details class="group"${isOpen ? ' open' : ''}><summary>${escaped(title)}</summary><ul>${list.join('')}</ul></details>\n`
}

/** The headings of a page that has several. */
function outlineOf(sections: Section[]): string {
  const headings = sections.filter(({ depth }) => depth === 2 || depth === 3)
  if (headings.length < 2) return ''
  const items = headings.map(
    ({ anchor, depth, heading }) =>
      `<li><a class="depth-${depth}" href="#${anchor}">${escaped(heading)}</a></li>`,
  )
  return `<nav class="outline" aria-label="On this page"><details class="fold"><summary>On this page</summary><ul>${items.join('')}</ul></details></nav>\n`
}

function neighboursOf({ previous, next }: Page, addressOf: (source: string) => string): string {
  const link = (entry: Entry | undefined, rel: string, label: string) =>
    entry === undefined
      ? ''
      : `<a rel="${rel}" href="${addressOf(entry.source)}"><span>${label}</span>${escaped(entry.label)}</a>`
  const links = link(previous, 'prev', 'Previous') + link(next, 'next', 'Next')
  return links === '' ? '' : `<nav class="neighbours" aria-label="Previous and next">${links}</nav>\n`
}
