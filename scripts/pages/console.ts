import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { project } from '../development.ts'

const kept = join(project, 'out/console.json')

/** The files that the console is built from. */
const sources = [
  'console/*.{html,ts,json}',
  'console/src/**',
  'client/src/**',
  'pages/tokens.css',
  'package-lock.json',
]

/** The console's files, built by Vite, by their path below /console/. Cached until a source changes. */
export async function consoleFiles(): Promise<Map<string, string>> {
  const key = keyOf(sources)
  const known = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {}
  if (known.key === key) return new Map(Object.entries(known.files))
  // Loaded only for a build, because loading Vite takes 0.2 s.
  const { build } = await import('vite')
  // A server that a test starts has NODE_ENV=test, with which React Aria renders no layout.
  process.env.NODE_ENV = 'production'
  const result = await build({
    root: join(project, 'console'),
    logLevel: 'error',
    define: { BUILD: JSON.stringify(key.slice(0, 16)) },
    build: { write: false },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
    'output' in one ? one.output : [],
  )
  const files = Object.fromEntries(
    outputs.map((file) => [file.fileName, file.type === 'chunk' ? file.code : text(file.source)]),
  )
  mkdirSync(join(project, 'out'), { recursive: true })
  const part = `${kept}.${process.pid}`
  writeFileSync(part, JSON.stringify({ key, files }))
  renameSync(part, kept)
  return new Map(Object.entries(files))
}

function text(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}

function keyOf(patterns: string[]): string {
  const hash = createHash('sha256')
  for (const path of globSync(patterns, { cwd: project, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort())
    hash.update(relative(project, path)).update(readFileSync(path))
  return hash.digest('hex')
}
