import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { anchorsOf, project, proseOf, textOf } from './citations.ts'

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'client/README.md',
  'engines/unity/README.md',
  'engines/unity/CHANGELOG.md',
  'engines/unity/Documentation~/index.md',
  ...readdirSync(`${project}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

const Package = z.object({ scripts: z.record(z.string(), z.string()) })

/** Why a link of a page leads nowhere; undefined when it leads somewhere. */
function brokenLink(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(project + target)) return `${link}: there is no ${target}`
  if (anchor !== undefined && !anchorsOf(target).includes(anchor))
    return `${link}: ${target} has no such heading`
  return undefined
}

/** The paths of the project that a page names in code: those that begin with one of its folders. */
function namedPaths(page: string): string[] {
  const named = proseOf(page).matchAll(
    /`((?:src|test|bench|client|console|pages|scripts|migrations|docs|\.ci)\/[\w./-]+?)(?:\/)?`/g,
  )
  return [...named].map(([, path = '']) => path)
}

/** The scripts that a page runs: `npm run NAME`. */
function namedScripts(page: string): string[] {
  const named = textOf(page).matchAll(/\bnpm run (?:--silent |-s )?([a-z][\w:]*)/g)
  return [...named].map(([, name = '']) => name)
}

describe.each(pages)('%s', (page) => {
  it('has links that lead to pages and headings that exist', () => {
    const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const relative = links.filter((link) => !/^[a-z]+:/.test(link))
    expect(relative.map((link) => brokenLink(page, link)).filter(Boolean)).toEqual([])
  })

  it('names paths of the project that exist', () => {
    expect(namedPaths(page).filter((path) => !existsSync(project + path))).toEqual([])
  })

  it('runs scripts of package.json that exist', () => {
    const { scripts } = Package.parse(JSON.parse(textOf('package.json')))
    expect(namedScripts(page).filter((name) => !(name in scripts))).toEqual([])
  })
})

/** The commands of wrangler that a page gives for a deployment: one line each, in code. */
function wranglerCommands(page: string): string[] {
  const text = textOf(page).replaceAll(/^ *> ?/gm, '')
  const inline = [...text.matchAll(/`(npx wrangler [^`]*)`/g)].map(([, command = '']) => command)
  const blocks = [...text.matchAll(/^ *(npx wrangler .*)$/gm)].map(([, command = '']) => command)
  return [...inline, ...blocks].map((command) => command.replaceAll(/\s+/g, ' '))
}

/** What a command needs to find its Worker or its database: wrangler.toml has neither the ids nor the names of a deployment. */
const places = [
  { commands: /^npx wrangler d1 (execute|migrations)\b/, needs: /--config \S+\/wrangler\.json/ },
  {
    commands: /^npx wrangler (rollback|versions|deployments|secret|delete|triggers)\b/,
    needs: /--name \S+/,
  },
  { commands: /^npx wrangler tail\b/, needs: /^npx wrangler tail [\w-]+/ },
  { commands: /^npx wrangler deploy\b/, needs: /--config \S+\/wrangler\.json/ },
]

it.each(['operating', 'going-back', 'deploying', 'upgrading', 'observing', 'events'])(
  'docs/%s.md gives commands of wrangler that find the deployment',
  (name) => {
    const lost = wranglerCommands(`docs/${name}.md`).filter((command) =>
      places.some(({ commands, needs }) => commands.test(command) && !needs.test(command)),
    )
    expect(lost).toEqual([])
  },
)

/** Pages with tables to look something up in, which are as long as what they list. */
const references = ['architecture', 'conformance', 'decisions', 'errors', 'performance'].map(
  (name) => `docs/${name}.md`,
)

it('a guide has at most 200 lines beside its code, CONTRIBUTING.md too, and README.md at most 120', () => {
  const guides = pages.filter((page) => /^docs|^CONTRIBUTING/.test(page) && !references.includes(page))
  const long = guides.filter((page) => proseOf(page).split('\n').length > 201)
  expect(long).toEqual([])
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(121)
})

it('docs/architecture.md says of each package what it is for, and of no other', () => {
  const Dependencies = z.record(z.string(), z.string()).default({})
  const Manifest = z.object({ dependencies: Dependencies, devDependencies: Dependencies })
  const used = ['', 'client/', 'console/'].flatMap((folder) => {
    const { dependencies, devDependencies } = Manifest.parse(JSON.parse(textOf(`${folder}package.json`)))
    return Object.keys({ ...dependencies, ...devDependencies })
  })
  const [, table = ''] = textOf('docs/architecture.md').split('\n## Dependencies\n')
  const rows = [...table.matchAll(/^\| (`[^|]*`) \|/gm)]
  const named = rows.flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  expect(new Set(named)).toEqual(new Set(used.filter((name) => name !== 'edge-game-storage-client')))
})

it('docs/proofs.md has each proof of scripts/prove.ts, with its amount', () => {
  const proofs = [...textOf('scripts/prove.ts').matchAll(/^ {2}(\w+): \{ project: .*, amount: ([\d_]+) \}/gm)]
  const amounts = proofs.map(([, name, amount = '']) => [name, amount.replaceAll('_', ',')])
  expect(amounts.length).toBeGreaterThan(10)
  const rows = textOf('docs/proofs.md').matchAll(/^\| `(\w+)` \|.*\| ([\d,]+) [^|]*\|$/gm)
  expect([...rows].map(([, name, amount]) => [name, amount]).toSorted()).toEqual(amounts.toSorted())
})

it('draws every diagram with Mermaid', () => {
  const drawn = pages.filter((page) => /[│┌└─►▼◄]{2}/.test(textOf(page)))
  expect(drawn).toEqual([])
})

it('docs/README.md lists every page of docs', () => {
  const missing = readdirSync(`${project}docs`)
    .filter((name) => name !== 'README.md' && statSync(`${project}docs/${name}`).isFile())
    .filter((name) => !/\.mjs$/.test(name) && !textOf('docs/README.md').includes(`(${name})`))
  expect(missing).toEqual([])
})

it('docs/operating.md explains each count that a run of the job reports', () => {
  const files = readdirSync(`${project}src`, { recursive: true, encoding: 'utf8' })
  const counts = files
    .filter((file) => file.endsWith('/tasks.ts'))
    .flatMap((file) => [...textOf(`src/${file}`).matchAll(/^export const \w+Tasks = \{(.*?)^\}/gms)])
    .flatMap(([, tasks = '']) => [...tasks.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name))
  expect(counts.length).toBeGreaterThan(20)
  expect(new Set(counts).size, 'no name twice').toBe(counts.length)
  const page = textOf('docs/operating.md')
  expect(counts.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})
