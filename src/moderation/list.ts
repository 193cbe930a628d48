import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../db/keyset.ts'
import { erasedUntil } from '../db/marks.ts'
import { blockedKinds, blocks, type files } from '../db/schema.ts'
import { columnsOf, joined } from '../db/sql.ts'
import { exists, isGoneAtRoot } from '../files/tree/lifecycle.ts'
import type { BlockedThing, ListBlocked } from './schema.ts'

type Block = typeof blocks.$inferSelect

/** A block, the owner and name of what is blocked, and whether that is being deleted permanently. */
type BlockedRow = Block & Pick<typeof files.$inferSelect, 'owner_id' | 'name'> & { is_gone: 0 | 1 }

/** The table of each kind of thing, and whether a row of it is being deleted permanently, a file also from above. */
const kinds: Record<Block['kind'], { table: SQL; isGone: SQL }> = {
  files: {
    table: sql`files`,
    isGone: sql`iif(thing.parent_id IS NULL, ${isGoneAtRoot(sql`thing`)}, NOT ${exists(sql`thing.id`)})`,
  },
  assets: {
    table: sql`game_assets`,
    isGone: sql`thing.purging = 1 OR thing.created_at <= ${erasedUntil(sql`thing.owner_id`)}`,
  },
}

/**
 * Lists what is blocked itself, latest block first; not what is only in a blocked folder (decisions, "For those who run
 * it"). The page omits what is being deleted permanently, so it may be shorter than asked for.
 *
 * @throws INVALID_CURSOR
 */
export async function listBlocked(
  { db }: RequestContext,
  { kind, limit, cursor }: ListBlocked,
): Promise<Page<BlockedThing>> {
  const list = ['blocked', kind]
  const after = positionAt(cursor, list, isWholeNumber)
  const beyond = after ? sql`AND (block.blocked_at, block.id) < (${after.key}, ${after.id})` : sql.empty()
  const ofKind = (one: Block['kind']) =>
    sql`SELECT ${columnsOf(blocks, 'block')}, thing.owner_id, thing.name, ${kinds[one].isGone} AS is_gone
      FROM blocks AS block INDEXED BY blocks_newest CROSS JOIN ${kinds[one].table} AS thing ON thing.id = block.id
      WHERE block.kind = ${one} ${beyond}`
  db.usePrimary()
  const rows = await db.read<BlockedRow>(
    sql`${joined((kind ? [kind] : blockedKinds).map(ofKind), ' UNION ALL ')}
      ORDER BY block.blocked_at DESC, block.id DESC LIMIT ${limit + 1}`,
  )
  const page = pageOf(list, rows, limit, ({ blocked_at }) => blocked_at)
  const present = page.rows.filter(({ is_gone }) => is_gone === 0)
  return { rows: present.map(blockedRecord), next_cursor: page.next_cursor }
}

function blockedRecord(row: BlockedRow): BlockedThing {
  const { kind, id, owner_id, name, blocked_at, blocked_by, reason } = row
  return { kind, id, owner_id, name, blocked_at, blocked_by, reason }
}
