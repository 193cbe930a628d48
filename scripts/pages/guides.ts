/** Renders the guides as pages: docs/*.md, README, SECURITY, CONTRIBUTING and CHANGELOG, in the groups of docs/README.md. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Found } from '../../pages/find.ts'
import { project } from '../development.ts'
import { type Entry, entriesIn, type Group, groupsOf } from './groups.ts'
import { renderMarkdown } from './markdown.ts'
import { renderPage } from './page.ts'
import { descriptionIn } from './reference/page.ts'

/** A guide: its source below the project's folder, its address, and its heading. */
interface Guide {
  source: string
  address: string
  title: string
}

const INDEX = 'docs/README.md'

/** How much a section counts in the search, by the title of its group. */
const weights: Record<string, number> = { Start: 1, Build: 1, Engines: 0.8, Operate: 0.8, Internals: 0.5 }

const NOT_FOUND = `<h1>There is no such page</h1>
<p>Nothing has this address. Search for a word, an error code or a request, or begin at the <a href="/guides/">list of the guides</a>,
the <a href="/docs">reference</a> or the <a href="/">first page</a>.</p>
`

/** What the guides have on the site. */
export interface Guides {
  /** All files, by path below the site's root: the pages, the other files of docs/ that they link to, and the search index. */
  files: Map<string, string | Buffer>
  /** The addresses of the pages with diagrams, which need a policy that lets Mermaid write styles into the page. */
  drawn: string[]
}

export function guides(): Guides {
  const groups = groupsOf(read(INDEX))
  const all = [INDEX, ...groups.flatMap(entriesIn).map(({ source }) => source)].map(guideOf)
  const linked = new Set<string>()
  const index: Found[] = []
  const drawn: string[] = []
  const files = new Map<string, string | Buffer>()
  for (const guide of all) {
    const { html, sections } = renderMarkdown(read(guide.source), (link) =>
      addressOf(guide, link, all, linked),
    )
    const group = groups.find((one) => entriesIn(one).some(({ source }) => source === guide.source))
    const weight = weights[group?.title ?? ''] ?? 0 // The index of the guides says nothing of its own.
    for (const { anchor, heading, text } of weight > 0 ? sections : [])
      index.push({ address: `${guide.address}#${anchor}`, title: guide.title, heading, text, weight })
    if (html.includes('data-diagram')) drawn.push(guide.address)
    const { source, title } = guide
    const page = { title, source, html, sections, groups, ...neighboursOf(source, groups) }
    files.set(fileOf(guide), renderPage(page, siteAddressOf))
  }
  const lost = { title: 'No such page', source: '', html: NOT_FOUND, sections: [], groups }
  files.set('404.html', renderPage(lost, siteAddressOf))
  for (const path of linked) files.set(inGuides(path), readFileSync(project + path))
  files.set('guides/search.json', JSON.stringify([...index, ...operations()]))
  return { files, drawn }
}

/** The operations as entries of the search index: they lead to the reference. */
function operations(): Found[] {
  return descriptionIn('openapi.json').operations.map(({ id, method, path, summary }) => ({
    address: `/docs#${id}`,
    title: 'Reference',
    heading: `${id}, ${method} ${path}`,
    text: summary,
    weight: 0.6,
  }))
}

function guideOf(source: string): Guide {
  return { source, address: siteAddressOf(source), title: titleOf(read(source)) }
}

function neighboursOf(source: string, groups: Group[]): { previous?: Entry; next?: Entry } {
  const entries =
    groups.map(entriesIn).find((entries) => entries.some((entry) => entry.source === source)) ?? []
  const at = entries.findIndex((entry) => entry.source === source)
  const [previous, next] = [entries[at - 1], entries[at + 1]]
  return { ...(previous && { previous }), ...(at >= 0 && next && { next }) }
}

function read(source: string): string {
  return readFileSync(project + source, 'utf8')
}

/** The path on the site of a file of docs/ that is no guide. */
const inGuides = (path: string) => path.replace(/^docs\//, 'guides/')

const fileOf = ({ source, address }: Guide) =>
  source === INDEX ? 'guides/index.html' : `${address.slice(1)}.html`

function siteAddressOf(source: string): string {
  if (source === INDEX) return '/guides/'
  return source === 'README.md' ? '/guides/project' : `/guides/${basename(source, '.md').toLowerCase()}`
}

function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? 'Guide'
}

/** Files of docs/ that the Worker itself serves. */
const descriptions = ['docs/openapi.json', 'docs/openapi.operators.json']

/** The address on the site that a link of a guide leads to; undefined when the site does not have the target. */
function addressOf(guide: Guide, link: string, all: Guide[], linked: Set<string>) {
  if (/^[a-z]+:/.test(link) || link.startsWith('#')) return { address: link }
  const [path = '', anchor] = link.split('#')
  const target = relative('.', join(dirname(guide.source), path))
  const other = all.find(({ source }) => source === target)
  if (other) return anchor === undefined ? other : { ...other, address: `${other.address}#${anchor}` }
  if (target === 'docs') return { address: '/guides/' }
  if (descriptions.includes(target)) return { address: target.replace('docs/', '/') }
  if (!target.startsWith('docs/') || !existsSync(project + target) || !statSync(project + target).isFile())
    return undefined
  linked.add(target)
  return { address: `/${inGuides(target)}` }
}
