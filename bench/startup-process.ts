/**
 * Loads a bundled Worker and prints the cost as JSON: `node startup-process.ts FILE blocks|cpu`. The modules `cloudflare:*` are
 * replaced by empty classes.
 *
 * - `blocks`: the number of executed blocks of code, counted as often as they run. The same on every machine.
 * - `cpu`: the CPU time of this process, in milliseconds.
 */
import { Session } from 'node:inspector/promises'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const RUNTIME =
  'data:text/javascript,export class DurableObject {} export class WorkerEntrypoint {} export const env = {}'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith('cloudflare:') ? { url: RUNTIME, shortCircuit: true } : next(specifier, context),
})

const [file = '', what] = process.argv.slice(2)
const { href } = pathToFileURL(file)
console.log(JSON.stringify(what === 'blocks' ? await blocks() : await cpu()))

async function blocks(): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  await import(href)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ranges = result
    .filter(({ url }) => url === href)
    .flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
  return ranges.reduce((sum, { count }) => sum + count, 0)
}

async function cpu(): Promise<number> {
  const before = process.cpuUsage()
  await import(href)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
