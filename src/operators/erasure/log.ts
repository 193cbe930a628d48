import { z } from '@hono/zod-openapi'
import type { StorageContext } from '../../platform/context.ts'
import { askStorage } from '../../platform/storage/ask.ts'

/*
 * Which users were erased, outside of the databases: one that is restored to before an erasure has the user back, and
 * `npm run reconcile` erases the user again. A rule of the bucket removes the notes after 31 days, when no database can be
 * restored to before them any more (docs/going-back.md).
 */

/** What the keys of the notes begin with. No content has such a key. */
const NOTES = 'erased/'

const Note = z.object({ user_id: z.string(), until: z.int(), mark: z.string() })

/** An erasure as the note of it tells: everything that the user had made by `until` (Unix seconds) was erased. */
export type ErasureNote = z.output<typeof Note>

/** Notes an erasure, before it is written anywhere else. @throws UNAVAILABLE */
export async function noteErasure({ bucket, config }: StorageContext, note: ErasureNote): Promise<void> {
  await askStorage(config, bucket.put(NOTES + note.mark, JSON.stringify(note)))
}

/** A page of notes, the oldest first, and where the next page begins; null when there is none. */
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
