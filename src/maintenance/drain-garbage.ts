import sql from 'sql-template-tag'
import { isUnanswered, within } from '../deadline.ts'
import { abortMultipart, type Discarded } from '../storage/discard.ts'
import { type Job, seconds } from '../work.ts'

/** R2 removes at most this many objects in one call. */
const MOST_OBJECTS = 1_000

/** As many multipart uploads as one step ends: each is a call of its own. */
const MOST_ABORTED = 20

/** A PUT that began while its URL was valid may end as much later. */
const LATE = 24 * 60 * 60

/** When to try again what R2 would not end. */
const LATER = 60 * 60

/**
 * Removes objects that no record refers to any more: at once, and once more when no PUT can create them again;
 * then their keys are forgotten. Removing one that is not there is no mistake, so a run may be cut off anywhere.
 */
export async function drainGarbage(job: Job): Promise<number> {
  const now = seconds(job)
  const found = await job.db.all<Discarded>(
    sql`SELECT object_key, multipart_id FROM garbage WHERE next_at <= ${now} ORDER BY next_at LIMIT ${MOST_OBJECTS}`,
  )
  if (found.length === 0) return 0
  const due = [
    ...found.filter(({ multipart_id }) => multipart_id === null),
    ...found.filter(({ multipart_id }) => multipart_id !== null).slice(0, MOST_ABORTED),
  ]
  const stuck = await abortAll(job, due)
  const keys = due.map(({ object_key }) => object_key).filter((key) => !stuck.has(key))
  if (keys.length > 0) await within(job.config.CALL_TIMEOUT_MS, job.bucket.delete(keys))
  const removed = sql`object_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`
  await job.db.batch([
    sql`DELETE FROM garbage WHERE ${removed} AND writable_until + ${LATE} <= ${now}`,
    sql`UPDATE garbage SET next_at = writable_until + ${LATE} WHERE ${removed}`,
    sql`UPDATE garbage SET next_at = ${now + LATER}
      WHERE object_key IN (SELECT value FROM json_each(${JSON.stringify([...stuck])}))`,
  ])
  return due.length
}

/**
 * Ends the multipart uploads among them. Tells which could not be ended: these are tried again, later than others, and
 * so are those that come after one that R2 left without an answer.
 */
async function abortAll(job: Job, due: Discarded[]): Promise<Set<string>> {
  const stuck = new Set<string>()
  let isAnswered = true
  for (const discarded of due) {
    const { object_key, multipart_id } = discarded
    if (!isAnswered) {
      if (multipart_id !== null) stuck.add(object_key)
      continue
    }
    try {
      await abortMultipart(job, discarded)
    } catch (error) {
      isAnswered = !isUnanswered(error)
      console.error(
        JSON.stringify({ message: 'parts could not be given up', object_key, error: String(error) }),
      )
      stuck.add(object_key)
    }
  }
  return stuck
}
