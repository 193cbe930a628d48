import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { project } from '../scripts/development.ts'

const run = promisify(execFile)

const running = new Set<Promise<unknown>>()

/** Runs wrangler with this process's Node, not with the first `node` on the PATH. */
async function wrangler(...args: string[]): Promise<void> {
  const child = run(process.execPath, [`${project}node_modules/wrangler/bin/wrangler.js`, ...args], {
    cwd: project,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' },
  })
  running.add(child)
  await child.finally(() => running.delete(child))
}

/** Resolves when every wrangler that this module has started has ended, also with an error. */
export async function wranglersEnd(): Promise<void> {
  await Promise.allSettled(running)
}

/**
 * Bundles a Worker as for a deployment, which minifies nothing, and returns its source. `alias`: replacements of imported modules, each as
 * `module:path`.
 */
export async function bundle(
  entry: string,
  outdir: string,
  alias: string[] = [],
  minified = true,
): Promise<string> {
  const aliases = alias.flatMap((replacement) => ['--alias', replacement])
  const options = minified ? ['--minify', ...aliases] : aliases
  await wrangler('deploy', entry, '--dry-run', '--outdir', outdir, ...options)
  return readFileSync(`${outdir}/${entry.replace(/^.*\/|\.ts$/g, '')}.js`, 'utf8')
}

/** The largest size of the Worker, minified and gzipped, without the console and the pages. `npm test` fails above. */
export const MAX_BUNDLE_KIB = 285

/** The gzipped size of a bundle in KiB. */
export function gzippedKiB(source: string): number {
  return gzipSync(source).byteLength / 1024
}
