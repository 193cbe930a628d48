import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** The file system in memory that Linux has. */
const MEMORY = '/dev/shm'

/** Several times what all tests store at a time, in bytes. */
const ROOM = 4 * 1_024 ** 3

/**
 * Has this process, and those that it starts, keep temporary files in memory until it ends: the databases of tests wait for the
 * disk at each write. Does nothing if there is little memory, or programs can't be run from there, or TMPDIR says where.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR || !isOfUse()) return
  const folder = mkdtempSync(join(MEMORY, 'edge-game-storage-'))
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}

function isOfUse(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , type, options = ''] = mounts.find((line) => line.split(' ')[1] === MEMORY)?.split(' ') ?? []
    return type === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize >= ROOM
  } catch {
    return false // not Linux
  }
}
