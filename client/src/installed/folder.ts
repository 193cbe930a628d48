import { openAsBlob, type Stats } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { kill, pid } from 'node:process'
import { InstalledContent } from './content.ts'
import { type ContentStore, type InstalledVersion, keyOf } from './store.ts'

/**
 * The content that a game in Node has in a folder of its own, which is made when it is missing. Several processes may use it: each
 * downloads into a file of its own, and takes over that of one that has ended.
 */
export function folderContent(folder: string): InstalledContent {
  return new InstalledContent(new FolderContent(resolve(folder)))
}

const FILE_NAME = /^[\w.-]+$/
/** The names of what is installed, and of what a process is installing. */
const [ROW, NEXT] = [/^([\w-]+)\.json$/, /^([\w-]+)\.json\.(\d+)\.new$/]

class FolderContent implements ContentStore {
  readonly name: string

  constructor(folder: string) {
    this.name = folder
  }

  async list(): Promise<InstalledVersion[]> {
    const read = (name: string) => this.#installedIn(name, ROW).catch(() => undefined)
    const rows = await Promise.all((await this.#names()).map(read))
    return rows.filter((row) => row !== undefined)
  }

  async sizeOf(key: string): Promise<number | undefined> {
    return (await fileAt(this.#content(key)))?.size
  }

  read(key: string): Promise<Blob | undefined> {
    return blobOf(this.#content(key))
  }

  async readBegun(version: InstalledVersion): Promise<Blob> {
    const own = this.#begun(version)
    if (!(await fileAt(own)))
      for (const name of await this.#names()) {
        const part = partIn(name)
        if (part?.key !== keyOf(version) || isRunning(part.process)) continue
        // One process succeeds with it.
        await unlessMissing(rename(join(this.name, name), own))
        break
      }
    return (await blobOf(own)) ?? new Blob()
  }

  async write(version: InstalledVersion, at: number, piece: Uint8Array): Promise<void> {
    await mkdir(this.name, { recursive: true })
    const file = await open(this.#begun(version), at === 0 ? 'w' : 'r+')
    try {
      // On a disk that is nearly full, a write may be short, and only the next one fails.
      for (let written = 0; written < piece.length; ) {
        const { bytesWritten } = await file.write(piece, written, piece.length - written, at + written)
        written += bytesWritten
      }
    } finally {
      await file.close()
    }
  }

  async discard(version: InstalledVersion): Promise<void> {
    await rm(this.#begun(version), { force: true })
    await rm(this.#content(keyOf(version)), { force: true, recursive: true })
  }

  async install(version: InstalledVersion): Promise<void> {
    const key = keyOf(version)
    const row = this.#row(version.asset_id)
    const next = `${row}.${pid}.new`
    await mkdir(this.name, { recursive: true })
    // First of all: it keeps the content from others, until the row does.
    await writeFile(next, JSON.stringify(version), { flush: true })
    if ((await this.sizeOf(key)) !== version.size_bytes) {
      const begun = this.#begun(version)
      const file = await open(begun, 'r+')
      await file.sync().finally(() => file.close())
      await replace(this.#content(key), begun)
    }
    await replace(row, next)
    await this.#tidy(version.asset_id)
  }

  async remove(asset_id: string): Promise<void> {
    await rm(this.#row(asset_id), { force: true, recursive: true })
    await this.#tidy(asset_id)
  }

  /**
   * Deletes content that is neither installed nor being installed, and what was begun for an asset by this process or one that has ended:
   * what a version before has left, and processes that were killed.
   */
  async #tidy(asset_id: string): Promise<void> {
    const names = await this.#names()
    const kept = await this.#kept().catch(() => undefined)
    if (!kept) return // What a file says that can't be read now is not known: the next time it is.
    for (const name of names) {
      const part = partIn(name)
      const isOver =
        (name.endsWith('.content') && !kept.has(name)) ||
        (part?.asset_id === asset_id && (part.process === pid || !isRunning(part.process))) ||
        isLeft(name)
      // Windows deletes no file that the game is reading: the next time does.
      if (isOver) await rm(join(this.name, name), { force: true }).catch(() => {})
    }
  }

  /** The names of the content that is installed or being installed. */
  async #kept(): Promise<Set<string>> {
    const kept = new Set<string>()
    for (const name of await this.#names()) {
      const next = NEXT.exec(name)
      if (next && isLeft(name)) continue
      // What has just been installed is in its row.
      const rows = next
        ? [await this.#installedIn(name, NEXT), await this.#installedIn(`${next[1]}.json`, ROW)]
        : [await this.#installedIn(name, ROW)]
      for (const row of rows) if (row) kept.add(`${keyOf(row)}.content`)
    }
    return kept
  }

  /** What a file with a name of this form says of the asset that it is named by; undefined when it is damaged, missing or something else. */
  async #installedIn(name: string, form: RegExp): Promise<InstalledVersion | undefined> {
    const [, asset_id] = form.exec(name) ?? []
    const text = asset_id && (await unlessMissing(readFile(join(this.name, name), 'utf8')))
    if (!text) return undefined
    try {
      const row: InstalledVersion = JSON.parse(text)
      const isRow =
        row.asset_id === asset_id && Number.isInteger(row.version) && Number.isInteger(row.size_bytes)
      return isRow && FILE_NAME.test(keyOf(row)) ? row : undefined
    } catch {
      return undefined
    }
  }

  async #names(): Promise<string[]> {
    return (await unlessMissing(readdir(this.name))) ?? []
  }

  #row(asset_id: string): string {
    return this.#path(`${asset_id}.json`)
  }

  #content(key: string): string {
    return this.#path(`${key}.content`)
  }

  #begun(version: InstalledVersion): string {
    return this.#path(`${keyOf(version)}.${version.asset_id}.${pid}.part`)
  }

  #path(name: string): string {
    if (!FILE_NAME.test(name)) throw new TypeError(`This is no id of an asset: ${name}`)
    return join(this.name, name)
  }
}

/** What the file of content that is begun is named by. */
function partIn(name: string): { key: string; asset_id: string; process: number } | undefined {
  const [, key, asset_id, process] = /^([\w-]+)\.([\w-]+)\.(\d+)\.part$/.exec(name) ?? []
  return key && asset_id ? { key, asset_id, process: Number(process) } : undefined
}

/** Whether a process of this number is running. */
function isRunning(process: number): boolean {
  try {
    return kill(process, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/** Whether a process that has ended has left a row that was to be installed. */
function isLeft(name: string): boolean {
  const [, , process] = NEXT.exec(name) ?? []
  return process !== undefined && !isRunning(Number(process))
}

/** A file as a Blob that reads from the disk; undefined when it is missing, which Node tells by no code. */
async function blobOf(path: string): Promise<Blob | undefined> {
  try {
    return await openAsBlob(path)
  } catch (error) {
    if (await fileAt(path)) throw error
    return undefined
  }
}

/** What the disk says of a file; undefined when it is missing, or a folder. */
async function fileAt(path: string): Promise<Stats | undefined> {
  const found = await unlessMissing(stat(path))
  return found?.isFile() ? found : undefined
}

/** Puts a file in the place of another one, in one step; of a folder, which may only have come there by mistake, in two. */
async function replace(path: string, by: string): Promise<void> {
  const isFolder = (await unlessMissing(stat(path)))?.isDirectory()
  if (isFolder) await rm(path, { recursive: true })
  await rename(by, path)
}

/** Undefined when there is no file: nothing, or a folder. */
function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EISDIR') throw error
    return undefined
  })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
