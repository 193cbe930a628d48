import type { SaveStore } from './store.ts'

/** The part of IndexedDB that is used. The types of Workers lack it. */
interface Asked<T> {
  readonly result: T
  readonly error: unknown
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}
interface Values {
  get(key: string): Asked<Uint8Array | undefined>
  put(value: Uint8Array, key: string): Asked<unknown>
  delete(key: string): Asked<unknown>
}
interface Transaction {
  objectStore(name: string): Values
  readonly error: unknown
  oncomplete: (() => void) | null
  onabort: (() => void) | null
}
interface Database {
  createObjectStore(name: string): unknown
  transaction(name: string, mode: 'readonly' | 'readwrite', options: { durability: 'strict' }): Transaction
  close(): void
  onclose: (() => void) | null
  onversionchange: (() => void) | null
}
declare const indexedDB: {
  open(name: string, version: number): Asked<Database> & { onupgradeneeded: (() => void) | null }
}

const VALUES = 'values'

/** A store in IndexedDB, which all pages of an origin share. */
export function indexedDbStore(name = 'edge-game-storage-saves'): SaveStore {
  let opening: Promise<Database> | undefined
  const forget = () => {
    opening = undefined
  }

  const open = () =>
    new Promise<Database>((resolve, reject) => {
      const request = indexedDB.open(name, 1)
      request.onupgradeneeded = () => request.result.createObjectStore(VALUES)
      request.onerror = () => {
        forget()
        reject(request.error)
      }
      request.onsuccess = () => {
        const database = request.result
        // The browser closes a database when the user clears the data of the site.
        database.onclose = forget
        database.onversionchange = () => {
          database.close()
          forget()
        }
        resolve(database)
      }
    })

  /** Resolves when the transaction has ended: what it wrote is on the disk. */
  async function run<T>(mode: 'readonly' | 'readwrite', act: (values: Values) => Asked<T>): Promise<T> {
    opening ??= open()
    const transaction = (await opening).transaction(VALUES, mode, { durability: 'strict' })
    const request = act(transaction.objectStore(VALUES))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }

  return {
    get: (key) => run('readonly', (values) => values.get(key)),
    set: (key, value) => run('readwrite', (values) => values.put(value, key)),
    delete: (key) => run('readwrite', (values) => values.delete(key)),
  }
}
