/** The databases of the development server: those of wrangler.toml, and further ones for `--shards N`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { project } from '../development.ts'
import { bindingsOf, shardsVariable, spreadOf } from './spread.ts'

/** The databases that a server binds, and wrangler's options for them. */
interface Databases {
  names: string[]
  configuration: string[]
  variables: string[]
}

/** The databases for a state of the server, when it is asked to spread the data over so many. */
export async function databasesOf(state: string, asked: number | undefined): Promise<Databases> {
  const bound = boundInProject()
  const noted = spreadOf(state)
  if (asked === undefined || (asked === 1 && noted.shards === 1))
    return { names: bound, configuration: [], variables: [] }
  const needed = bindingsOf(Math.max(asked, noted.shards))
  const names = [...new Set([...needed, ...bound])]
  const configuration = ['--config', await writeConfiguration(names)]
  const variables = ['--env-file', join(project, '.dev.vars'), '--var', `SHARDS:${shardsVariable(asked)}`]
  return { names, configuration, variables }
}

/** The names of the databases that wrangler.toml binds. */
function boundInProject(): string[] {
  const text = readFileSync(`${project}wrangler.toml`, 'utf8')
  return [...text.matchAll(/^binding = "(DB(?:_[1-9]\d*)?)"$/gm)].flatMap(([, name]) => name ?? [])
}

/** What of wrangler.toml names a path or a database. */
const Configuration = z.looseObject({
  main: z.string(),
  alias: z.record(z.string(), z.string()).default({}),
  d1_databases: z.array(
    z.looseObject({ binding: z.string(), database_name: z.string(), migrations_dir: z.string() }),
  ),
  assets: z.looseObject({ directory: z.string() }).optional(),
  build: z.looseObject({ watch_dir: z.array(z.string()) }).optional(),
})

/**
 * Writes a configuration for wrangler into `out/dev`: that of wrangler.toml, with these databases. Returns its path.
 * wrangler takes paths as relative to the configuration, so they become absolute.
 */
async function writeConfiguration(names: string[]): Promise<string> {
  const { experimental_readRawConfig: readConfiguration } = await import('wrangler')
  const rawConfig = Configuration.parse(readConfiguration({ config: `${project}wrangler.toml` }).rawConfig)
  const inProject = (path: string) => resolve(project, path)
  const { main, alias, d1_databases: bound, assets, build } = rawConfig
  const databases = names.map(
    (binding, i) =>
      bound.find((database) => database.binding === binding) ?? {
        binding,
        database_name: `edge-game-storage-${i}`,
        migrations_dir: 'migrations',
      },
  )
  const aliases = Object.entries(alias).map(([from, to]) => [from, to.startsWith('.') ? inProject(to) : to])
  const configuration = {
    ...rawConfig,
    main: inProject(main),
    alias: Object.fromEntries(aliases),
    d1_databases: databases.map((one) => ({ ...one, migrations_dir: inProject(one.migrations_dir) })),
    ...(assets && { assets: { ...assets, directory: inProject(assets.directory) } }),
    ...(build && { build: { ...build, cwd: project, watch_dir: build.watch_dir.map(inProject) } }),
  }
  const folder = join(project, 'out/dev')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `wrangler-${names.length}.json`)
  writeFileSync(path, JSON.stringify(configuration, null, 2))
  return path
}
