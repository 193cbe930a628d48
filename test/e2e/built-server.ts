/**
 * node test/e2e/built-server.ts --port N --persist-to FOLDER [--var NAME:VALUE …]: serves the bundled Worker as `wrangler dev`
 * would, out of the same simulator. wrangler puts a proxy with a runtime of its own before it, whose start takes two seconds of
 * CPU time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '' },
    'persist-to': { type: 'string', default: '' },
    var: { type: 'string', multiple: true, default: [] },
  },
})

// Ends with its group when its parent is gone, as scripts/dev.ts does: else a killed test leaves servers behind.
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.kill(0, 'SIGKILL'), 500).unref()

/** What test/e2e/setup.ts has written beside the Worker: its bindings, as wrangler reads them from wrangler.toml and .dev.vars. */
const folder = join(import.meta.dirname, '../../out/built-worker')
const worker: V4WorkerOptions = JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8'))

const given = values.var.map((one) => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1)])

new Miniflare(
  convertV4MiniflareOptions({
    host: 'localhost',
    port: Number(values.port),
    resourcePersistencePath: join(values['persist-to'], 'v3'),
    unsafeTriggerHandlers: true, // the scheduled job, which `npm run job` runs
    logRequests: false, // the Worker logs them
    cf: false, // else it would fetch a sample request.cf
    telemetry: { enabled: false },
    workers: [
      {
        ...worker,
        name: 'edge-game-storage',
        bindings: { ...worker.bindings, ...Object.fromEntries(given) },
        modulesRoot: folder,
        modules: [{ type: 'ESModule', path: join(folder, 'worker.js') }],
      },
    ],
  }),
)
