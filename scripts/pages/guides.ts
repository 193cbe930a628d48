/** Renders the guides as pages: docs/*.md, README, SECURITY, CONTRIBUTING and CHANGELOG, each with a list of all. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { project } from '../development.ts'
import { escaped, renderMarkdown } from './markdown.ts'

/** A guide: its source below the project's folder, its address, and its heading. */
interface Guide {
  source: string
  address: string
  title: string
}

/** An entry of the search index (pages/search.ts): a section of a guide. */
interface Found {
  address: string
  title: string
  heading: string
  text: string
}

const INDEX = 'docs/README.md'
const beside = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md']

/** All guides as pages, the other files of docs/ that they link to, and the search index, by path below the site's root. */
export function guides(): Map<string, string | Buffer> {
  const all = sources().map((source) => ({
    source,
    address: source === INDEX ? '/guides/' : `/guides/${nameOf(source)}`,
    title: titleOf(read(source)),
  }))
  const linked = new Set<string>()
  const index: Found[] = []
  const pages = all.map((guide): [string, string | Buffer] => {
    const { html, sections } = renderMarkdown(read(guide.source), (link) =>
      addressOf(guide, link, all, linked),
    )
    for (const { anchor, heading, text } of sections)
      index.push({ address: `${guide.address}#${anchor}`, title: guide.title, heading, text })
    return [
      guide.source === INDEX ? 'guides/index.html' : `${guide.address.slice(1)}.html`,
      page(guide, html, all),
    ]
  })
  const files = [...linked].map((path): [string, string | Buffer] => [
    inGuides(path),
    readFileSync(project + path),
  ])
  return new Map([...pages, ...files, ['guides/search.json', JSON.stringify(index)]])
}

/** The sources, in the order of docs/README.md. */
function sources(): string[] {
  const names = readdirSync(`${project}docs`).filter((name) => name.endsWith('.md'))
  const named = [...read(INDEX).matchAll(/\]\(([\w.-]+\.md)\)/g)].map(([, name = '']) => name)
  const ordered = new Set([...named.filter((name) => names.includes(name)), ...names])
  ordered.delete('README.md')
  return [INDEX, ...[...ordered].map((name) => `docs/${name}`), ...beside]
}

function read(source: string): string {
  return readFileSync(project + source, 'utf8')
}

/** The path on the site of a file of docs/ that is no guide. */
const inGuides = (path: string) => path.replace(/^docs\//, 'guides/')

function nameOf(source: string): string {
  const name = basename(source, '.md').toLowerCase()
  return source === 'README.md' ? 'project' : name
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

function page(guide: Guide, html: string, all: Guide[]): string {
  const item = ({ address, title }: Guide) =>
    `<li><a href="${address}"${address === guide.address ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(guide.title)} · Edge game storage</title>
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="stylesheet" href="/static/base.css">
<link rel="stylesheet" href="/static/style.css">
<script type="module" src="/static/guide.js"></script>
<script type="module" src="/static/search.js"></script>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<nav class="bar" aria-label="Pages"><strong><a href="/">Edge game storage</a></strong><a href="/docs">Reference</a><a href="/guides/">Guides</a></nav>
<div class="guide">
<nav aria-label="Guides">
<form class="search" role="search" hidden><label>Search<input type="search" autocomplete="off" spellcheck="false"></label><p class="note" role="status"></p><ul></ul></form>
<details open><summary>Guides</summary><ul>${all.map(item).join('')}</ul></details>
</nav>
<main id="content">
${html}</main>
</div>
</body>
</html>
`
}
