import { z } from '@hono/zod-openapi'
import type { StorageContext } from '../../platform/context.ts'
import { askStorage } from '../../platform/storage/ask.ts'

/*
 * The bucket has a note of each erasure. A database that is restored to before an erasure has the user's rows again, and
 * `npm run reconcile` finds them by the note. A lifecycle rule of the bucket removes notes after 31 days, one day after the
 * last restore that could need them (docs/reconcile.md).
 */

/** The key prefix of notes. No content has a key with this prefix. */
const NOTES = 'erased/'

const Note = z.object({ user_id: z.string(), until: z.int(), mark: z.string() })

/** The note of an erasure: all that `user_id` had made by `until` (Unix seconds) was erased. */
export type ErasureNote = z.output<typeof Note>

/** Writes the note of an erasure, before the erasure is written to a database. @throws UNAVAILABLE */
export async function noteErasure({ bucket, config }: StorageContext, note: ErasureNote): Promise<void> {
  await askStorage(config, bucket.put(NOTES + note.mark, JSON.stringify(note)))
}

/**
 * Reads a page of notes, oldest first. `next` is the `after` of the next page, null after the last one.
 *
 * @throws UNAVAILABLE
 */
export async function listErasures(
  { bucket, config }: StorageContext,
  after: string,
  limit: number,
): Promise<{ notes: ErasureNote[]; next: string | null }> {
  const listing = bucket.list({ prefix: NOTES, limit, ...(after !== '' && { startAfter: after }) })
  const { objects, truncated } = await askStorage(config, listing)
  const notes: ErasureNote[] = []
  for (const { key } of objects) {
    const object = await askStorage(config, bucket.get(key))
    const text = object && (await askStorage(config, object.text()))
    if (text) notes.push(Note.parse(JSON.parse(text)))
  }
  return { notes, next: truncated ? (objects.at(-1)?.key ?? null) : null }
}
