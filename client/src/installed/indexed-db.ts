import { type Asked, IndexedDatabase, type KeyRange, type Transaction } from '../indexed-db.ts'
import { InstalledContent } from './content.ts'
import { type ContentStore, type InstalledVersion, keyOf } from './store.ts'

declare const IDBKeyRange: {
  bound(from: readonly unknown[], to: readonly unknown[]): KeyRange
}

/** Content, whole or begun. Its pieces are apart, because a page can't hold a value of hundreds of megabytes twice. */
interface Content {
  key: string
  /** The asset that it was begun for. */
  asset_id: string
  /** Undefined: it is only begun. */
  size_bytes?: number
}

interface Stores {
  installed: InstalledVersion
  contents: Content
  /** The pieces of content, by its key and where they begin. */
  pieces: Uint8Array
}

const piecesOf = (key: string) => IDBKeyRange.bound([key, 0], [key, Number.POSITIVE_INFINITY])

/** The content that the pages of an origin have in IndexedDB. */
export function indexedDbContent(name = 'edge-game-storage-content'): InstalledContent {
  return new InstalledContent(new IndexedDbContent(name))
}

class IndexedDbContent implements ContentStore {
  readonly name: string
  readonly #database: IndexedDatabase<Stores>

  constructor(name: string) {
    this.name = name
    this.#database = new IndexedDatabase<Stores>(name, ['installed', 'contents', 'pieces'])
  }

  list(): Promise<InstalledVersion[]> {
    return this.#database.run('readonly', (transaction) => transaction.objectStore('installed').getAll())
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const content = await this.#database.run('readonly', (transaction) =>
      transaction.objectStore('contents').get(key),
    )
    return content?.size_bytes
  }

  async read(key: string): Promise<Blob | undefined> {
    return (await this.sizeOf(key)) === undefined ? undefined : this.#joined(key)
  }

  readBegun(version: InstalledVersion): Promise<Blob> {
    return this.#joined(keyOf(version))
  }

  async write(version: InstalledVersion, at: number, piece: Uint8Array): Promise<void> {
    const key = keyOf(version)
    const { asset_id } = version
    // Relaxed: a piece that a crash of the device loses is downloaded again.
    await this.#database.run(
      'readwrite',
      (transaction) => {
        const contents = transaction.objectStore('contents')
        const known = contents.get(key)
        known.onsuccess = () => {
          // Without Web Locks, another page may have installed it meanwhile.
          if (!known.result) contents.put({ key, asset_id }, key)
        }
        return transaction.objectStore('pieces').put(piece, [key, at])
      },
      'relaxed',
    )
  }

  async discard(version: InstalledVersion): Promise<void> {
    await this.#database.run('readwrite', (transaction) => deleteContent(transaction, keyOf(version)))
  }

  install(version: InstalledVersion): Promise<void> {
    return this.#change(version.asset_id, version)
  }

  remove(asset_id: string): Promise<void> {
    return this.#change(asset_id, undefined)
  }

  async #change(asset_id: string, version: InstalledVersion | undefined): Promise<void> {
    await this.#database.run('readwrite', (transaction) => {
      const installed = transaction.objectStore('installed')
      const contents = transaction.objectStore('contents')
      if (version) {
        const { size_bytes } = version
        const key = keyOf(version)
        installed.put(version, asset_id)
        contents.put({ key, asset_id, size_bytes }, key)
      } else installed.delete(asset_id)
      const kept = installed.getAll()
      const all = contents.getAll()
      // Requests succeed in their order.
      all.onsuccess = () => {
        const keys = new Set(kept.result.map(keyOf))
        for (const { key, size_bytes, ...begun } of all.result) {
          const isOver = size_bytes !== undefined || begun.asset_id === asset_id
          if (isOver && !keys.has(key)) deleteContent(transaction, key)
        }
      }
      return all
    })
  }

  /** The pieces of content, up to the first gap. Two pages without Web Locks write the same bytes in other pieces. */
  async #joined(key: string): Promise<Blob> {
    const keys = await this.#database.run('readonly', (transaction) =>
      transaction.objectStore('pieces').getAllKeys(piecesOf(key)),
    )
    const joined: Blob[] = []
    let end = 0
    for (const piece of keys) {
      const at = Number(piece[1])
      if (at > end) break
      const bytes = await this.#database.run('readonly', (transaction) =>
        transaction.objectStore('pieces').get(piece),
      )
      if (!bytes) break
      if (at + bytes.length <= end) continue
      joined.push(new Blob([new Uint8Array(bytes.subarray(end - at))]))
      end = at + bytes.length
    }
    return new Blob(joined)
  }
}

function deleteContent(transaction: Transaction<Stores>, key: string): Asked<unknown> {
  transaction.objectStore('contents').delete(key)
  return transaction.objectStore('pieces').delete(piecesOf(key))
}
