import { sql } from 'drizzle-orm'
import {
  contentIn,
  enqueueOrphans,
  fromListed,
  isOfRequest,
  isUnknownObject,
  type ListedContent,
  listContent,
  listedKey,
} from '../../features/content/orphans.ts'
import { BUCKET_WALK } from '../../platform/db/enumerations.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { askStorage } from '../../platform/storage/bucket.ts'
import { belongTogether, pairingKey } from '../../platform/storage/pairing.ts'
import { asList, type ComparedPage, PAGE, type ReconcileContext } from './page.ts'

/** After this time, in seconds, a request that has stored content has written its row or never will. */
const REQUEST_SECONDS = 10 * MINUTE

/**
 * Finds objects without a row in the database, from the position of the job's walk through the bucket: the walk has checked
 * all objects before the position, and rows of uploads after it have not been deleted. A restore also restores the position.
 * A repair queues the objects for deletion after the grace period.
 */
export async function findOrphans(ctx: ReconcileContext): Promise<ComparedPage> {
  const { databases, bucket, config, database, isRepair } = ctx
  const db = databases.whole(database)
  const after = ctx.after || (await positionOfWalk(ctx))
  if (after === undefined) return { looked_at: 0, next: null, found: [] }
  const { objects, truncated } = await askStorage(config, listContent(bucket, after, PAGE))
  const known = new Map(objects.map((object) => [object.key, object]))
  const latest = ctx.now_ms - REQUEST_SECONDS * 1_000
  const isUnderWay = (listed: ListedContent) =>
    isOfRequest(listed) && Number(known.get(listed.key)?.uploaded) > latest
  const content = contentIn(objects).filter((listed) => !isUnderWay(listed))
  const isUnknown = isUnknownObject(db.name)
  const unknown = await db.read(
    sql<{ key: string }>`SELECT ${listedKey} AS key ${fromListed(content)} ${isUnknown}`,
  )
  const orphans = await withoutFiles(
    ctx,
    unknown.map(({ key }) => key),
  )
  if (isRepair && orphans.length > 0) {
    const listed = content.filter(({ key }) => orphans.includes(key))
    await db.write(enqueueOrphans(ctx, listed, isUnknown))
  }
  const last = objects.at(-1)?.key
  return {
    looked_at: content.length,
    next: truncated && last !== undefined ? last : null,
    found: orphans.map((key) => ({
      problem: 'object_has_no_record',
      id: key,
      object_key: key,
      detail: `${known.get(key)?.size} bytes, of ${known.get(key)?.uploaded.toISOString()}`,
      is_repaired: isRepair,
    })),
  }
}

/** The last object that the job's walk through the bucket has checked; undefined when the walk has not begun. */
async function positionOfWalk({ databases, database }: ReconcileContext): Promise<string | undefined> {
  const [walk] = await databases
    .whole(database)
    .read(sql<{ position: string | null }>`SELECT position FROM progress WHERE task = ${BUCKET_WALK}`)
  return walk?.position ?? undefined
}

/**
 * Returns the keys that are not the content of a file. A partition from a database whose walk was further along has files
 * without rows of uploads. Scans all files.
 */
async function withoutFiles({ databases, database }: ReconcileContext, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return keys
  const contents = await databases.whole(database).read(
    sql<{
      object_key: string
    }>`SELECT object_key FROM files WHERE object_key IN (SELECT value FROM json_each(${asList(keys)}))`,
  )
  const known = new Set(contents.map(({ object_key }) => object_key))
  return keys.filter((key) => !known.has(key))
}

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
