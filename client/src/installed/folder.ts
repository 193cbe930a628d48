import { openAsBlob } from 'node:fs'
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

class FolderContent implements ContentStore {
  readonly name: string

  constructor(folder: string) {
    this.name = folder
  }

  async list(): Promise<InstalledVersion[]> {
    const names = (await this.#names()).filter((name) => name.endsWith('.json'))
    const read = await Promise.all(
      names.map((name) => readFile(join(this.name, name), 'utf8').catch(() => '')),
    )
    return read.flatMap((text) => installedIn(text) ?? [])
  }

  async sizeOf(key: string): Promise<number | undefined> {
    return unlessMissing(stat(this.#content(key)).then(({ size }) => size))
  }

  read(key: string): Promise<Blob | undefined> {
    return blobOf(this.#content(key))
  }

  async readBegun(version: InstalledVersion): Promise<Blob> {
    const own = this.#begun(version)
    if (!(await isFile(own)))
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
      await file.write(piece, 0, piece.length, at)
    } finally {
      await file.close()
    }
  }

  async discard(version: InstalledVersion): Promise<void> {
    await rm(this.#begun(version), { force: true })
    await rm(this.#content(keyOf(version)), { force: true })
  }

  async install(version: InstalledVersion): Promise<void> {
    const key = keyOf(version)
    const content = this.#content(key)
    await mkdir(this.name, { recursive: true })
    if ((await this.sizeOf(key)) !== version.size_bytes) {
      const begun = this.#begun(version)
      const file = await open(begun, 'r+')
      await file.sync().finally(() => file.close())
      await rename(begun, content)
    }
    const before = await this.#installed(version.asset_id)
    const row = this.#row(version.asset_id)
    const next = `${row}.${pid}.new`
    await writeFile(next, JSON.stringify(version), { flush: true })
    await rename(next, row)
    await this.#tidy(before, version.asset_id)
  }

  async remove(asset_id: string): Promise<void> {
    const before = await this.#installed(asset_id)
    await rm(this.#row(asset_id), { force: true })
    await this.#tidy(before, asset_id)
  }

  /** Deletes what was installed of an asset before, and what was begun for it by this process or one that has ended. */
  async #tidy(before: InstalledVersion | undefined, asset_id: string): Promise<void> {
    const kept = new Set((await this.list()).map(keyOf))
    // Windows deletes no file that the game is reading: it stays.
    if (before && !kept.has(keyOf(before))) await rm(this.#content(keyOf(before))).catch(() => {})
    for (const name of await this.#names()) {
      const part = partIn(name)
      if (part?.asset_id !== asset_id || (part.process !== pid && isRunning(part.process))) continue
      await rm(join(this.name, name), { force: true })
    }
  }

  async #installed(asset_id: string): Promise<InstalledVersion | undefined> {
    return installedIn((await unlessMissing(readFile(this.#row(asset_id), 'utf8'))) ?? '')
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
    if (!/^[\w.-]+$/.test(name)) throw new TypeError(`This is no id of an asset: ${name}`)
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

/** What is installed, out of its file; undefined when that was damaged, or is missing. */
function installedIn(text: string): InstalledVersion | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A file as a Blob that reads from the disk; undefined when it is missing, which Node tells by no code. */
async function blobOf(path: string): Promise<Blob | undefined> {
  try {
    return await openAsBlob(path)
  } catch (error) {
    if (await isFile(path)) throw error
    return undefined
  }
}

const isFile = async (path: string) => (await unlessMissing(stat(path))) !== undefined

function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
    return undefined
  })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
