import { execFile } from 'node:child_process'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { noteMigrated, unmigrated } from '../../scripts/dev/migrate.ts'
import { developmentVariables, project } from '../../scripts/development.ts'

/** A state of the development server whose database is migrated and empty. Each server of a test starts on a copy. */
export const migratedState = join(project, 'out/migrated-state')

/** The folder of the bundled Worker and its options. */
const built = join(project, 'out/built-worker')

/** The Worker of the development server, bundled as `npm run dev` bundles it. */
export const builtWorker = join(built, 'worker.js')

/** What is bundled, and what the pages beside it are built from. */
const sources = [
  ...['src', 'client/src', 'console', 'pages', 'docs', 'scripts/pages'],
  ...['package-lock.json', 'wrangler.toml', '.dev.vars', 'test/e2e/setup.ts'],
]

/** When a file, or one in a folder, was changed last, in milliseconds; 0 for none. */
async function changedAt(path: string): Promise<number> {
  const file = await stat(join(project, path)).catch(() => undefined)
  if (!file?.isDirectory()) return file?.mtimeMs ?? 0
  const names = await readdir(join(project, path))
  return Math.max(file.mtimeMs, ...(await Promise.all(names.map((name) => changedAt(join(path, name))))))
}

/**
 * Bundles the Worker, and notes its bindings as wrangler would give them to the simulator, unless an earlier run has done it for
 * the same sources.
 */
async function bundle(): Promise<void> {
  const changed = Math.max(...(await Promise.all(sources.map(changedAt))))
  if ((await changedAt('out/built-worker/options.json')) > changed) return
  const build = ['deploy', 'src/local/worker.ts', '--dry-run', '--outdir', built]
  await promisify(execFile)('wrangler', build, { cwd: project })
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(project, 'wrangler.toml'))
  await writeFile(join(built, 'options.json'), JSON.stringify(workerOptions))
}

/**
 * Makes what the files' servers have in common, before they start at the same time: `.dev.vars`, of which each would make
 * its own, a migrated database, and the bundled Worker: the start of a server would take twice as long with these two.
 */
export default async function setup(): Promise<void> {
  // Tests start hundreds of short processes of Node, which spend half of their time compiling the same modules.
  process.env.NODE_COMPILE_CACHE ??= join(project, 'out/compile-cache')
  developmentVariables()
  await Promise.all([bundle(), migrate()])
}

/** Makes the migrated state, unless an earlier run has done it with the same migrations. */
async function migrate(): Promise<void> {
  if (unmigrated(migratedState, ['DB']).length === 0) return
  await rm(migratedState, { recursive: true, force: true })
  await promisify(execFile)('node', ['scripts/dev/apply-migrations.ts', migratedState, 'DB'], {
    cwd: project,
  })
  noteMigrated(migratedState, ['DB'])
}
