import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wranglersEnd } from './bundle.ts'

/** Creates a temporary folder, which is removed when the process ends, also on a signal. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `edge-game-storage-${name}-`))
  const clear = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', clear) // runs also after an uncaught error
  // Clears at once, because on a signal Miniflare ends this process, and again once no running wrangler can write into the
  // folder any more.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.prependOnceListener(signal, () => {
      process.exitCode = 130
      clear()
      void wranglersEnd().finally(() => {
        clear()
        process.exit(130)
      })
    })
  return folder
}
