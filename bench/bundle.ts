import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

/** The project's folder. */
export const project = fileURLToPath(new URL('../', import.meta.url))

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
 * Bundles a Worker as for a deployment, and returns its source. `alias`: replacements of imported modules, each as
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

/** The largest size of the Worker, gzipped and without the console and the pages. `npm test` fails above. */
export const MAX_BUNDLE_KIB = 242

/** The gzipped size of a bundle in KiB. */
export function gzippedKiB(source: string): number {
  return gzipSync(source).byteLength / 1024
}

/** The part of a V8 CPU profile that is read. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * The CPU time of the service's start-up on this machine, in milliseconds: the busy samples of a profile while the isolate
 * loads, as the median of three. Undefined when start-up can't be profiled here.
 */
export async function startupMs(folder: string): Promise<number | undefined> {
  const [worker, outfile] = [`${folder}/service.bundle`, `${folder}/startup.cpuprofile`]
  try {
    await wrangler('deploy', '--dry-run', '--minify', '--outfile', worker)
    const times: number[] = []
    for (let i = 0; i < 3; i++) {
      await wrangler('check', 'startup', '--worker', worker, '--outfile', outfile)
      times.push(busyMs(JSON.parse(readFileSync(outfile, 'utf8'))))
    }
    return times.sort((a, b) => a - b)[1]
  } catch {
    return undefined
  }
}

function busyMs({ nodes, samples, timeDeltas }: Profile): number {
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id),
  )
  const busy = timeDeltas.filter((_, i) => !idle.has(samples[i] ?? -1))
  return busy.reduce((sum, delta) => sum + delta, 0) / 1000
}
