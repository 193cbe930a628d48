/** The databases of the development server: those of wrangler.toml, and further ones for `--shards N`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../development.ts'
import { migrations, projectConfiguration } from '../wrangler-configuration.ts'
import { bindingsOf, shardsVariable, spreadOf } from './spread.ts'

/** The databases that a server binds, and wrangler's options that bind them. */
interface Databases {
  names: string[]
  configuration: string[]
  variables: string[]
}

/** The databases to bind for a state folder when `--shards` is `asked`; undefined: as wrangler.toml says. */
export function databasesOf(state: string, asked: number | undefined): Databases {
  const bound = projectConfiguration().d1_databases.map(({ binding }) => binding)
  const noted = spreadOf(state)
  if (asked === undefined || (asked === 1 && noted.shards === 1))
    return { names: bound, configuration: [], variables: [] }
  const needed = bindingsOf(Math.max(asked, noted.shards))
  const names = [...new Set([...needed, ...bound])]
  const configuration = ['--config', writeConfiguration(names)]
  const variables = ['--env-file', join(project, '.dev.vars'), '--var', `SHARDS:${shardsVariable(asked)}`]
  return { names, configuration, variables }
}

/** Writes a copy of wrangler.toml's configuration with these databases into `out/dev`. Returns its path. */
function writeConfiguration(names: string[]): string {
  const configuration = projectConfiguration()
  const databases = names.map(
    (binding, i) =>
      configuration.d1_databases.find((database) => database.binding === binding) ?? {
        binding,
        database_name: `edge-game-storage-${i}`,
        ...migrations,
      },
  )
  const folder = join(project, 'out/dev')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `wrangler-${names.length}.json`)
  writeFileSync(path, JSON.stringify({ ...configuration, d1_databases: databases }, null, 2))
  return path
}
