import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

/** The project's folder. */
export const project = fileURLToPath(new URL('../', import.meta.url))

const run = promisify(execFile)

const running = new Set<Promise<unknown>>()

/** Runs wrangler on this very Node: its own first line asks for whatever `node` the shell finds. */
async function wrangler(...args: string[]): Promise<void> {
  const child = run(process.execPath, [`${project}node_modules/wrangler/bin/wrangler.js`, ...args], {
    cwd: project,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' },
  })
  running.add(child)
  await child.finally(() => running.delete(child))
}

/** Resolves when no wrangler that was started here runs any more, however it ended. */
export async function wranglersEnd(): Promise<void> {
  await Promise.allSettled(running)
}

/**
 * Bundles a Worker as it is deployed, without deploying it, and answers with its source. `alias` says what takes
 * the place of a module that it imports.
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

/** What the Worker may weigh gzipped, without the console and the pages: `npm test` fails above. */
export const MAX_BUNDLE_KIB = 220

/** The size of a bundle as it counts against the budget. */
export function gzippedKiB(source: string): number {
  return gzipSync(source).byteLength / 1024
}

/** A V8 CPU profile, as far as it is read here. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * How long the service's start-up keeps a CPU busy on this machine, in milliseconds: what the profiler saw while
 * the isolate loaded, without its idle samples; the median of three. Undefined when it can't be profiled here.
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
