import type { RequestContext } from '../../src/platform/context.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { contextOf } from '../support/context.ts'
import { databaseOf, homeOf } from '../support/databases.ts'

/** What rows say, for tests that call the rules directly. */

export const usedBytes = ({ user_id }: RequestContext) =>
  homeOf(user_id)
    .prepare('SELECT used_bytes FROM usage WHERE user_id = ?')
    .bind(user_id)
    .first<number>('used_bytes')

/** The key of a file's content. */
export const contentOf = (id: string) =>
  databaseOf(id).prepare('SELECT object_key FROM files WHERE id = ?').bind(id).first<string>('object_key')

export const uploadRow = (id: string) =>
  databaseOf(id).prepare('SELECT state, check_state, failure_code FROM uploads WHERE id = ?').bind(id).first()

/** Those of the keys that wait to be deleted, in the database of a file or asset. */
export async function queuedAmong(id: string, keys: string[]): Promise<string[]> {
  const { results } = await databaseOf(id)
    .prepare('SELECT object_key FROM garbage WHERE object_key IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(keys))
    .all<{ object_key: string }>()
  return results.map(({ object_key }) => object_key).sort()
}

/** A user of the same partition as another. */
export function neighbourOf({ user_id }: RequestContext): RequestContext {
  for (;;) {
    const id = crypto.randomUUID()
    if (partitionOf(id) === partitionOf(user_id)) return contextOf(id)
  }
}
