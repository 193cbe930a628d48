/**
 * Builds the static pages (first page, reference, guides, console) into out/pages, which the Worker serves as assets. wrangler
 * runs this script before it bundles (`[build]`), for development servers and deployments. Unchanged files are not rewritten,
 * because another server may be starting at the same time.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { project } from '../development.ts'
import { consoleFiles } from './console.ts'
import { guides } from './guides.ts'
import { reference } from './reference/page.ts'

const out = join(project, 'out/pages')
const sources = join(project, 'pages')

const packages = join(project, 'node_modules')
const TYPEFACE = '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2'

/** The content of each page and file, by its path below the root of the site. */
async function built(): Promise<Map<string, string | Buffer>> {
  const files = new Map<string, string | Buffer>()
  for (const name of readdirSync(sources)) {
    const content = readFileSync(join(sources, name))
    if (name.endsWith('.ts')) files.set(`static/${name.replace(/ts$/, 'js')}`, script(content.toString()))
    else if (name.endsWith('.css')) files.set(`static/${name}`, content)
    else if (name !== 'tsconfig.json') files.set(name, content)
  }
  files.set('docs.html', reference())
  files.set('static/mermaid.js', readFileSync(join(packages, '@mermaid-js/tiny/dist/mermaid.tiny.js')))
  files.set('static/figtree.woff2', readFileSync(join(packages, TYPEFACE)))
  const { files: pages, drawn } = guides()
  for (const [path, content] of pages) files.set(path, content)
  files.set('_headers', headers(readFileSync(join(sources, '_headers'), 'utf8'), drawn))
  for (const [path, content] of await consoleFiles()) files.set(`console/${path}`, content)
  return files
}

/** The headers of pages/_headers, and for pages with diagrams a policy that lets Mermaid write styles into them. */
function headers(source: string, drawn: string[]): string {
  const [, policy = ''] = /^\/\*\n {2}(Content-Security-Policy: .*)$/m.exec(source) ?? []
  const wider = policy.replace(/style-src/, "style-src 'unsafe-inline'")
  return source + drawn.map((address) => `\n${address}\n  ! Content-Security-Policy\n  ${wider}\n`).join('')
}

/** Turns a TypeScript module into JavaScript for browsers, with imports of the built files. */
function script(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
}

function write(path: string, content: string | Buffer): void {
  const target = join(out, path)
  const bytes = Buffer.from(content)
  if (existsSync(target) && readFileSync(target).equals(bytes)) return
  mkdirSync(dirname(target), { recursive: true })
  // Replaces the file atomically, because another server may be reading it. The temporary file is outside the served folder.
  const part = join(dirname(out), `.${process.pid}.part`)
  writeFileSync(part, bytes)
  renameSync(part, target)
}

/** Removes the files of earlier builds that are no longer built. */
function removeOthers(files: Map<string, unknown>): void {
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(out.length + 1)
    if (entry.isFile() && !files.has(path)) rmSync(join(out, path), { force: true })
  }
}

const files = await built()
for (const [path, content] of files) write(path, content)
removeOthers(files)
