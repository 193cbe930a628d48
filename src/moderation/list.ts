import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../db/keyset.ts'
import { erasedUntil } from '../db/marks.ts'
import { blockedKinds } from '../db/schema.ts'
import { joined } from '../db/sql.ts'
import { exists, isGoneAtRoot } from '../files/tree/walk.ts'
import type { BlockedThing, ListBlocked } from './schema.ts'

/** Whether a thing is gone for good; a file or folder also with a folder above it. */
const isGone: Record<BlockedThing['kind'], SQL> = {
  files: sql`iif(thing.parent_id IS NULL, ${isGoneAtRoot(sql`thing`)}, NOT ${exists(sql`thing.id`)})`,
  assets: sql`thing.purging = 1 OR thing.created_at <= ${erasedUntil(sql`thing.owner_id`)}`,
}

/** Where the things of each kind are. */
const tables: Record<BlockedThing['kind'], SQL> = { files: sql`files`, assets: sql`game_assets` }

interface BlockedRow extends BlockedThing {
  is_gone: 0 | 1
}

/**
 * A page of what is blocked by itself, latest block first: what is blocked by a folder above it is not listed (decisions,
 * "For those who run it"). What is being deleted for good is left out of the page, which may then be shorter than asked for.
 *
 * @throws INVALID_CURSOR
 */
export async function listBlocked(
  { db }: RequestContext,
  { kind, limit, cursor }: ListBlocked,
): Promise<Page<BlockedThing>> {
  const list = ['blocked', kind]
  const after = cursor === undefined ? undefined : positionAt(cursor, list, isWholeNumber)
  const beyond = after ? sql`AND (block.blocked_at, block.id) < (${after.key}, ${after.id})` : sql.empty()
  const ofKind = (one: BlockedThing['kind']) =>
    sql`SELECT block.kind AS kind, block.id AS id, thing.owner_id, thing.name, block.blocked_at AS blocked_at, block.blocked_by, block.reason,
        ${isGone[one]} AS is_gone
      FROM blocks AS block INDEXED BY blocks_newest CROSS JOIN ${tables[one]} AS thing ON thing.id = block.id
      WHERE block.kind = ${one} ${beyond}`
  db.usePrimary()
  const rows = await db.all<BlockedRow>(
    sql`${joined((kind ? [kind] : blockedKinds).map(ofKind), ' UNION ALL ')}
      ORDER BY blocked_at DESC, id DESC LIMIT ${limit + 1}`,
  )
  const page = pageOf(list, rows, limit, ({ blocked_at }) => blocked_at)
  const shown = page.rows.filter(({ is_gone }) => is_gone === 0)
  return { rows: shown.map(({ is_gone, ...thing }) => thing), next_cursor: page.next_cursor }
}
