/**
 * Builds the static pages into out/pages, which wrangler.toml serves beside the Worker: the first page, the reference, the
 * guides. wrangler runs it before it bundles (`[build]`), so a development server and a deployment both have them. A file
 * that has not changed is left alone: several servers may start at the same time.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { project } from '../development.ts'
import { consoleFiles } from './console.ts'
import { guides } from './guides.ts'

const out = join(project, 'out/pages')
const sources = join(project, 'pages')

const packages = {
  'static/scalar.js': '@scalar/api-reference/dist/browser/standalone.js',
  'static/mermaid.js': '@mermaid-js/tiny/dist/mermaid.tiny.js',
}

/** The content of each page and file, by its path below the root of the site. */
async function built(): Promise<Map<string, string | Buffer>> {
  const files = new Map<string, string | Buffer>()
  for (const name of readdirSync(sources)) {
    const content = readFileSync(join(sources, name))
    if (name.endsWith('.ts')) files.set(`static/${name.replace(/ts$/, 'js')}`, script(content.toString()))
    else if (name.endsWith('.css')) files.set(`static/${name}`, content)
    else if (name !== 'tsconfig.json') files.set(name, content)
  }
  for (const [path, from] of Object.entries(packages))
    files.set(path, readFileSync(join(project, 'node_modules', from)))
  for (const [path, content] of guides()) files.set(path, content)
  for (const [path, content] of await consoleFiles()) files.set(`console/${path}`, content)
  return files
}

/** A module for browsers: without its types, and with imports that name the built files. */
function script(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'")
}

function write(path: string, content: string | Buffer): void {
  const target = join(out, path)
  const bytes = Buffer.from(content)
  if (existsSync(target) && readFileSync(target).equals(bytes)) return
  mkdirSync(dirname(target), { recursive: true })
  // Another server may read the file meanwhile. The name is outside of what is served.
  const part = join(dirname(out), `.${process.pid}.part`)
  writeFileSync(part, bytes)
  renameSync(part, target)
}

/** Removes what an earlier build has made and this one has not. */
function removeOthers(files: Map<string, unknown>): void {
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(out.length + 1)
    if (entry.isFile() && !files.has(path)) rmSync(join(out, path), { force: true })
  }
}

const files = await built()
for (const [path, content] of files) write(path, content)
removeOthers(files)
