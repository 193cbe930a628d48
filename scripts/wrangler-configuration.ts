/** Reads wrangler.toml, for commands that derive a configuration of their own from it. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { project } from './development.ts'

/** The fields of wrangler.toml that name a path or a database. Others pass through. */
const Configuration = z.looseObject({
  main: z.string(),
  alias: z.record(z.string(), z.string()).default({}),
  d1_databases: z.array(
    z.looseObject({
      binding: z.string(),
      database_name: z.string(),
      migrations_dir: z.string(),
      migrations_pattern: z.string(),
    }),
  ),
  assets: z.looseObject({ directory: z.string() }).optional(),
  build: z.looseObject({ watch_dir: z.array(z.string()) }).optional(),
})

/** Where the migrations are, as each database of a configuration names them. */
export const migrations = {
  migrations_dir: resolve(project, 'migrations'),
  migrations_pattern: resolve(project, 'migrations/0*.sql'),
}

/** wrangler.toml with absolute paths: wrangler resolves relative ones against the folder of the derived configuration. */
export function projectConfiguration(): z.output<typeof Configuration> {
  const raw = Configuration.parse(parse(readFileSync(`${project}wrangler.toml`, 'utf8')))
  const inProject = (path: string) => resolve(project, path)
  const { main, alias, d1_databases, assets, build } = raw
  const aliases = Object.entries(alias).map(([from, to]) => [from, to.startsWith('.') ? inProject(to) : to])
  return {
    ...raw,
    main: inProject(main),
    alias: Object.fromEntries(aliases),
    d1_databases: d1_databases.map((one) => ({ ...one, ...migrations })),
    ...(assets && { assets: { ...assets, directory: inProject(assets.directory) } }),
    ...(build && { build: { ...build, cwd: project, watch_dir: build.watch_dir.map(inProject) } }),
  }
}
