import type { Client } from 'edge-game-storage-client'
import type { FolderId, Item } from '../files/item.ts'

/**
 * Gives files that are added together the folders that they lie in, below a folder. Each is made once, when the first of
 * its files is sent; one that was refused is tried again with the next.
 */
export class NewFolders {
  readonly #client: Client
  readonly #root: FolderId
  readonly #onMade: (folder: Item) => void
  readonly #made = new Map<string, Promise<FolderId>>()

  constructor(client: Client, root: FolderId, onMade: (folder: Item) => void) {
    this.#client = client
    this.#root = root
    this.#onMade = onMade
  }

  /** The folder at a path: the names of folders, the outermost first. */
  at(path: readonly string[]): Promise<FolderId> {
    const name = path.at(-1)
    if (name === undefined) return Promise.resolve(this.#root)
    const key = path.join('/')
    const known = this.#made.get(key)
    if (known) return known
    const making = this.#make(name, path.slice(0, -1))
    this.#made.set(key, making)
    making.catch(() => this.#made.delete(key))
    return making
  }

  async #make(name: string, above: readonly string[]): Promise<FolderId> {
    const parent_id = await this.at(above)
    const folder = await this.#client.createFolder({ name, asset_type: 'folder', parent_id })
    this.#onMade({ ...folder, mime_type: null, processing_state: null })
    return folder.id
  }
}
