import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wranglersEnd } from './bundle.ts'

/** A folder of this process's own, which is removed when it ends, also on a signal. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `edge-game-storage-${name}-`))
  const clear = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', clear) // also when something was thrown that nothing here catches, like a closed pipe
  // At once, because on a signal Miniflare stops its runtime and this process; and again when nothing that still
  // bundles can put anything back.
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
