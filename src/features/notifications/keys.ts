import { hasTables, type Row } from '../../platform/lib/durable-object.ts'
import { HOUR } from '../../platform/lib/units.ts'
import type { PublicationKey } from './rpc.ts'
import type { Notification } from './schema.ts'

interface KeyRow {
  request_hash: string
  /** JSON */
  response: string
}

/** A key of the storage: when the table of keys is scanned next, in Unix seconds. */
const NEXT_SCAN = 'keys_due'

/** The Idempotency-Keys of an inbox. A scan of their table finds the expired ones, so that a key writes only one row. */
export class PublicationKeys {
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** The response to an earlier publication with this key, and the hash of its request. */
  find({ publisher, key }: PublicationKey, now: number): KeyRow | undefined {
    if (!hasTables(this.#storage)) return undefined
    return this.#storage.sql
      .exec<Row<KeyRow>>(
        'SELECT request_hash, response FROM idempotency WHERE publisher = ? AND key = ? AND expires_at > ?',
        publisher,
        key,
        now,
      )
      .toArray()[0]
  }

  /** Whether a publisher has published at least `count` notifications with keys that have not expired. Requires tables. */
  hasAtLeast(count: number, publisher: string, now: number): boolean {
    const { published } = this.#storage.sql
      .exec<{ published: number }>(
        'SELECT count(*) AS published FROM idempotency WHERE publisher = ? AND expires_at > ?',
        publisher,
        now,
      )
      .one()
    return published >= count
  }

  /** Records the response to a publication. Requires that the inbox has tables. `expires_at` is in Unix seconds. */
  record({ publisher, key, request_hash }: PublicationKey, response: Notification, expires_at: number): void {
    this.#storage.sql.exec(
      `INSERT INTO idempotency (publisher, key, request_hash, response, expires_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (publisher, key) DO UPDATE SET
        request_hash = excluded.request_hash, response = excluded.response, expires_at = excluded.expires_at`,
      publisher,
      key,
      request_hash,
      JSON.stringify(response),
      expires_at,
    )
  }

  /**
   * Deletes the expired keys, at most once an hour, because the alarm may be called for each notification with an expiry. Returns
   * when to call this again, in Unix seconds; undefined when there is no key.
   */
  dropExpired(now: number): number | undefined {
    if (!hasTables(this.#storage)) return undefined
    const { sql, kv } = this.#storage
    const due = kv.get<number>(NEXT_SCAN)
    // A key that is recorded later lives longer.
    if (due !== undefined && now < due) return due
    sql.exec('DELETE FROM idempotency WHERE expires_at <= ?', now)
    const { next } = sql
      .exec<{ next: number | null }>('SELECT min(expires_at) AS next FROM idempotency')
      .one()
    if (next === null) {
      if (due !== undefined) kv.delete(NEXT_SCAN)
      return undefined
    }
    const then = Math.max(next, now + HOUR)
    kv.put(NEXT_SCAN, then)
    return then
  }

  /** Deletes all keys, and returns how many there were. Requires that the inbox has tables. */
  removeAll(): number {
    const { sql, kv } = this.#storage
    kv.delete(NEXT_SCAN)
    return sql.exec('DELETE FROM idempotency RETURNING key').toArray().length
  }
}
