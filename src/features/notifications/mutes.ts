import { hasTables } from '../../platform/lib/durable-object.ts'

/** A key of the storage: the version of the copy. */
const VERSION = 'mutes_version'

/** The inbox's copy of the users whom its user has muted. The list itself lies in D1 (docs/scaling.md#muted-players). */
export class MutesCopy {
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Whether the user has muted another. */
  has(user_id: string): boolean {
    if (!hasTables(this.#storage)) return false
    return this.#storage.sql.exec('SELECT 1 FROM mutes WHERE user_id = ?', user_id).toArray().length > 0
  }

  /** The copy and its version; '' while there is none. */
  read(): { version: string; user_ids: string[] } {
    const { sql, kv } = this.#storage
    const rows = hasTables(this.#storage)
      ? sql.exec<{ user_id: string }>('SELECT user_id FROM mutes ORDER BY user_id').toArray()
      : []
    return { version: kv.get<string>(VERSION) ?? '', user_ids: rows.map(({ user_id }) => user_id) }
  }

  /** Replaces the copy, unless its version is as high or higher. Writes only the rows that differ. Requires that the inbox has tables. */
  replace(version: string, user_ids: readonly string[]): void {
    const { sql, kv } = this.#storage
    if (version <= (kv.get<string>(VERSION) ?? '')) return
    kv.put(VERSION, version)
    const list = JSON.stringify(user_ids)
    sql.exec('DELETE FROM mutes WHERE user_id NOT IN (SELECT value FROM json_each(?))', list)
    sql.exec('INSERT OR IGNORE INTO mutes (user_id) SELECT value FROM json_each(?)', list)
  }
}
