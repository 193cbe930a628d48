import { sql } from 'drizzle-orm'
import { asList, type ComparedPage, type Finding, PAGE, type ReconcileContext, whyNotMarked } from './page.ts'
import { presenceOf, rowsAnswered } from './presence.ts'

/** A file of a page. `object_key` is null when the file has no content to compare. */
interface FileRow {
  id: string
  owner_id: string
  object_key: string | null
}

/**
 * Compares the next files with their content. A repair first removes content of existing files from the deletion queue, and
 * then looks for the objects. A file whose object is missing is marked as failed: the owner sees this, gets the quota back,
 * and may upload the content again. Each write repeats the conditions of the read.
 */
export async function compareFiles(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const isComparable = sql`processing_state = 'ready' AND purging = 0
    AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1)`
  const rows = await db.read(
    sql<FileRow>`SELECT id, owner_id, iif(${isComparable}, object_key, NULL) AS object_key FROM files
      WHERE id > ${ctx.after} ORDER BY id LIMIT ${PAGE}`,
  )
  const compared = rows.filter(({ object_key }) => object_key !== null)
  const queued = sql`SELECT files.object_key FROM json_each(${asList(compared.map(({ id }) => id))})
    CROSS JOIN files ON files.id = value WHERE processing_state = 'ready' AND purging = 0`
  const isQueued = sql`object_key IN (${queued})`
  const taken: { object_key: string }[] = ctx.isRepair
    ? await db.write(sql`DELETE FROM garbage WHERE ${isQueued} RETURNING object_key`)
    : await db.read(sql`SELECT object_key FROM garbage WHERE ${isQueued}`)
  const presence = await presenceOf(
    ctx,
    compared.flatMap(({ object_key }) => object_key ?? []),
  )
  const answered = rowsAnswered(rows, presence)
  const missing = answered.filter(({ object_key }) => object_key !== null && presence.missing.has(object_key))
  const refused = whyNotMarked(missing.length, compared.length, ctx.acceptMissing)
  const marked = new Set<string>()
  if (ctx.isRepair && refused === undefined && missing.length > 0) {
    const list = asList(missing)
    const isSame = sql`(id, object_key) IN (SELECT value ->> 'id', value ->> 'object_key' FROM json_each(${list}))`
    const failed = await db.write({
      files: sql<{ id: string }>`UPDATE files SET processing_state = 'failed', revision = revision + 1
        WHERE ${isSame} AND ${isComparable} RETURNING id`,
      uploads: sql`DELETE FROM uploads WHERE state = 'completed' AND id IN (
          SELECT value ->> 'object_key' FROM json_each(${list}) CROSS JOIN files
          ON files.id = value ->> 'id' AND files.object_key = value ->> 'object_key' AND processing_state = 'failed')`,
    })
    for (const { id } of failed.files) marked.add(id)
  }
  const byKey = new Map(answered.map((row) => [row.object_key, row]))
  const found: Finding[] = [
    ...taken.flatMap(({ object_key }): Finding[] => {
      const row = byKey.get(object_key)
      return row ? [{ problem: 'content_is_queued', ...row, object_key, is_repaired: ctx.isRepair }] : []
    }),
    ...missing.map(
      ({ id, owner_id, object_key }): Finding => ({
        problem: 'content_is_missing',
        id,
        owner_id,
        object_key: object_key ?? '',
        is_repaired: marked.has(id),
      }),
    ),
  ]
  const isLast = rows.length < PAGE && answered.length === rows.length
  return {
    looked_at: answered.length,
    next: isLast ? null : (answered.at(-1)?.id ?? ctx.after),
    found,
    ...(ctx.isRepair && refused !== undefined && { refused }),
  }
}
