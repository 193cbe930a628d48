/** The part of IndexedDB that is used. The types of Workers lack it. */
export interface Asked<T> {
  readonly result: T
  readonly error: unknown
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}
type Key = string | readonly (string | number)[]
interface Values<Value> {
  get(key: Key): Asked<Value | undefined>
  getAll(): Asked<Value[]>
  getAllKeys(keys: KeyRange): Asked<Key[]>
  put(value: Value, key: Key): Asked<unknown>
  delete(key: Key | KeyRange): Asked<unknown>
}
export type KeyRange = object
export interface Transaction<Stores> {
  objectStore<Name extends keyof Stores>(name: Name): Values<Stores[Name]>
  readonly error: unknown
  oncomplete: (() => void) | null
  onabort: (() => void) | null
}
interface Database {
  createObjectStore(name: string): unknown
  transaction<Stores>(
    names: (keyof Stores)[],
    mode: 'readonly' | 'readwrite',
    options: { durability: 'strict' | 'relaxed' },
  ): Transaction<Stores>
  close(): void
  onclose: (() => void) | null
  onversionchange: (() => void) | null
}
declare const indexedDB: {
  open(name: string, version: number): Asked<Database> & { onupgradeneeded: (() => void) | null }
}

/** A database of IndexedDB. `Stores` are the values of its object stores, by their names. */
export class IndexedDatabase<Stores extends object> {
  readonly #name: string
  readonly #stores: (keyof Stores & string)[]
  #opening: Promise<Database> | undefined

  constructor(name: string, stores: (keyof Stores & string)[]) {
    this.#name = name
    this.#stores = stores
  }

  /**
   * Runs a transaction over all stores. Resolves with the result of the request that `act` returns when the transaction has ended:
   * what it wrote is on the disk, unless its durability is relaxed.
   */
  async run<T>(
    mode: 'readonly' | 'readwrite',
    act: (transaction: Transaction<Stores>) => Asked<T>,
    durability: 'strict' | 'relaxed' = 'strict',
  ): Promise<T> {
    this.#opening ??= this.#open()
    const transaction = (await this.#opening).transaction<Stores>(this.#stores, mode, { durability })
    const request = act(transaction)
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }

  #open(): Promise<Database> {
    const forget = () => {
      this.#opening = undefined
    }
    return new Promise<Database>((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1)
      request.onupgradeneeded = () => {
        for (const store of this.#stores) request.result.createObjectStore(store)
      }
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
  }
}
