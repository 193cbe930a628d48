import { sql } from 'drizzle-orm'
import { askStorage } from '../../platform/storage/ask.ts'
import { pairingKey } from '../../platform/storage/pairing.ts'
import type { ComparedPage, ReconcileContext } from './page.ts'

/**
 * Looks whether the marker of the database is that of the bucket, without which the job removes no object, and has the
 * job's next run pair them anew. The row goes first: in between, the two differ.
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
    }>`SELECT current, next FROM bucket_marker WHERE one = 1`,
  )
  const object = await askStorage(config, bucket.get(key))
  const found = object && (await askStorage(config, object.text()))
  const isPaired =
    found === null ? (known?.current ?? null) === null : found === known?.current || found === known?.next
  if (!isPaired && isRepair) {
    await db.write(sql`DELETE FROM bucket_marker WHERE one = 1`)
    await askStorage(config, bucket.delete(key))
  }
  return {
    looked_at: 1,
    next: null,
    found: isPaired ? [] : [{ problem: 'not_paired', id: database, is_repaired: isRepair }],
  }
}
