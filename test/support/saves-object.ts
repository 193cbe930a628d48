import { env, runInDurableObject } from 'cloudflare:test'
import type { SaveContent, SaveRules, SaveWrite } from '../../src/features/saves/rpc.ts'
import type { Saves } from '../../src/features/saves/saves.ts'
import { newUserId } from './ids.ts'

/** Calls to the object with a user's saves, without the Worker. */

/** The object of a new user. */
export const newSaves = (): DurableObjectStub<Saves> => env.SAVES.getByName(newUserId())

/** A moment in Unix seconds. */
export const NOW = Math.floor(Date.now() / 1_000)

/** Limits that are small enough to be reached. */
export const rulesWith = (different: Partial<SaveRules> = {}): SaveRules => ({
  now: NOW,
  retention_days: 30,
  max_slots: 20,
  max_revisions: 5,
  limit_bytes: 8 * 1024 ** 2,
  ...different,
})

/** What comes with bytes. The checksum is any text that is equal for equal bytes. */
function contentOf(text: string): SaveContent {
  const size_bytes = new TextEncoder().encode(text).byteLength
  const nothing = { device: null, label: null, played_seconds: null }
  return { size_bytes, mime_type: 'application/octet-stream', checksum_sha256: `sum of ${text}`, ...nothing }
}

/** A write of a slot. */
export function writeOf(slot: string, text: string, different: Partial<SaveWrite> = {}): SaveWrite {
  const bytes = Uint8Array.from(new TextEncoder().encode(text)).buffer
  return { slot, content: contentOf(text), bytes, keep: false, idempotency_key: null, ...different }
}

/** The rows that `work` reads and writes in the object. A key and the alarm are rows too. */
export function rowsOf(
  saves: DurableObjectStub<Saves>,
  work: (saves: Saves) => unknown,
): Promise<{ read: number; written: number }> {
  return runInDurableObject(saves, (instance, { storage }) => {
    const { sql, kv } = storage
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
    let others = 0
    const [exec, put, setAlarm] = [sql.exec.bind(sql), kv.put.bind(kv), storage.setAlarm.bind(storage)]
    sql.exec = (query, ...values) => {
      const cursor = exec<Record<string, SqlStorageValue>>(query, ...values)
      cursors.push(cursor)
      return cursor as never
    }
    kv.put = (key, value) => {
      others++
      put(key, value)
    }
    storage.setAlarm = (time) => {
      others++
      return setAlarm(time)
    }
    try {
      work(instance)
    } finally {
      sql.exec = exec
      kv.put = put
      storage.setAlarm = setAlarm
    }
    const sum = (count: 'rowsRead' | 'rowsWritten') =>
      cursors.reduce((rows, cursor) => rows + cursor[count], 0)
    return { read: sum('rowsRead'), written: sum('rowsWritten') + others }
  })
}
