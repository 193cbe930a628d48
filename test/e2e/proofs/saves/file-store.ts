import { createHash } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SaveStore } from '#client'

/** A store of files, as client/README.md shows it. `onStep` is called before each step of the disk. */
export function fileStore(directory: string, onStep: (name: string) => void): SaveStore {
  const path = (key: string) => join(directory, createHash('sha256').update(key).digest('hex'))
  return {
    get: (key) => readFile(path(key)).catch(() => undefined), // a kill here is one before what follows
    set: async (key, value) => {
      onStep('set')
      const file = await open(`${path(key)}.new`, 'w')
      onStep('set: the file is open')
      await file.writeFile(value)
      await file.sync()
      await file.close()
      onStep('set: the new file is written')
      await rename(`${path(key)}.new`, path(key))
      onStep('set: done')
    },
    delete: async (key) => {
      onStep('delete')
      await rm(path(key), { force: true })
    },
  }
}
