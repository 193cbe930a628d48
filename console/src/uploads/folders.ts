import type { Client } from 'edge-game-storage-client'
import type { FolderId, Item } from '../files/item.ts'
import { keyOf } from './plan.ts'

/**
 * Creates the folders of files that are added together, except those that exist. Each folder is created once, when its first
 * file is sent. If that fails, the next file tries again.
 */
export class NewFolders {
  readonly #client: Client
  readonly #onMade: (folder: Item) => void
  readonly #made = new Map<string, Promise<FolderId>>()

  /** `existing`: the folders that are there already, by their path, the root's included. */
  constructor(client: Client, existing: ReadonlyMap<string, FolderId>, onMade: (folder: Item) => void) {
    this.#client = client
    for (const [path, id] of existing) this.#made.set(path, Promise.resolve(id))
    this.#onMade = onMade
  }

  /** Creates the folder at a path if needed, and resolves with its id. `path`: names of folders, the outermost first. */
  at(path: readonly string[]): Promise<FolderId> {
    const key = keyOf(path)
    const known = this.#made.get(key)
    if (known) return known
    const making = this.#make(path.at(-1) ?? '', path.slice(0, -1))
    this.#made.set(key, making)
    making.catch(() => this.#made.delete(key))
    return making
  }

  async #make(name: string, above: readonly string[]): Promise<FolderId> {
    const parent_id = await this.at(above)
    const folder = await this.#client.files.createFolder({ name, parent_id })
    this.#onMade({ ...folder, mime_type: null, processing_state: null })
    return folder.id
  }
}
