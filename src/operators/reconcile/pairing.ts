import { sql } from 'drizzle-orm'
import { askStorage } from '../../platform/storage/ask.ts'
import { belongTogether, pairingKey } from '../../platform/storage/pairing.ts'
import type { ComparedPage, ReconcileContext } from './page.ts'

/**
 * Compares the pairing ids of the database and the bucket. While they differ, the job removes no object. A repair removes
 * both, and the next run of the job pairs them again. The row is removed first, so that a crash in between leaves them
 * different.
 */
export async function comparePairing({
  databases,
  bucket,
  config,
  database,
  isRepair,
}: ReconcileContext): Promise<ComparedPage> {
  const db = databases.whole(database)
  const key = pairingKey(database)
  const [known] = await db.read(
    sql<{
      current: string | null
      next: string | null
    }>`SELECT current, next FROM bucket_pairing WHERE one = 1`,
  )
  const object = await askStorage(config, bucket.get(key))
  const found = object && (await askStorage(config, object.text()))
  const isPaired = belongTogether(known, found)
  if (!isPaired && isRepair) {
    await db.write(sql`DELETE FROM bucket_pairing WHERE one = 1`)
    await askStorage(config, bucket.delete(key))
  }
  return {
    looked_at: 1,
    next: null,
    found: isPaired ? [] : [{ problem: 'not_paired', id: database, is_repaired: isRepair }],
  }
}
