import type { Client } from 'edge-game-storage-client'
import type { FolderId, Item } from '../files/item.ts'

/**
 * Creates the folders of files that are added together, below a folder. Each folder is created once, when its first file is
 * sent. If that fails, the next file tries again.
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

  /** Creates the folder at a path if needed, and resolves with its id. `path`: names of folders, the outermost first. */
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
