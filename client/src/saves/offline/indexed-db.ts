import { IndexedDatabase } from '../../indexed-db.ts'
import type { SaveStore } from './store.ts'

/** A store in IndexedDB, which all pages of an origin share. */
export function indexedDbStore(name = 'edge-game-storage-saves'): SaveStore {
  const database = new IndexedDatabase<{ values: Uint8Array }>(name, ['values'])
  return {
    get: (key) => database.run('readonly', (transaction) => transaction.objectStore('values').get(key)),
    set: (key, value) =>
      database.run('readwrite', (transaction) => transaction.objectStore('values').put(value, key)),
    delete: (key) =>
      database.run('readwrite', (transaction) => transaction.objectStore('values').delete(key)),
  }
}
