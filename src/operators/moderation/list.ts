import { type SQL, sql } from 'drizzle-orm'
import { exists, isGoneAtRoot } from '../../features/files/tree/lifecycle.ts'
import type { RequestContext } from '../../platform/context.ts'
import { blockedKinds } from '../../platform/db/enumerations.ts'
import { isWholeNumber, type Page, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { erasedUntil } from '../../platform/db/marks.ts'
import { blocks, type files } from '../../platform/db/schema.ts'
import { columnsOf, joined } from '../../platform/db/sql.ts'
import { pageOver } from '../../platform/shards/pages.ts'
import { mergedPage } from '../../platform/shards/windows.ts'
import type { ListBlocked } from './schema.ts'

type Block = typeof blocks.$inferSelect

/** A block, the owner and name of what is blocked, and whether that is being deleted permanently. */
export type BlockedRow = Block & Pick<typeof files.$inferSelect, 'owner_id' | 'name'> & { is_gone: 0 | 1 }

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
 * Lists what is blocked itself, latest block first; not what is only in a blocked folder
 * (docs/conformance.md#for-those-who-run-it). The page omits what is being deleted permanently, so it may be shorter
 * than asked for.
 *
 * @throws INVALID_CURSOR
 */
export async function listBlocked(
  { databases }: RequestContext,
  { kind, limit, cursor }: ListBlocked,
): Promise<Page<BlockedRow>> {
  const list = ['blocked', kind]
  const after = positionAt(cursor, list, isWholeNumber)
  const beyond = after ? sql`AND (block.blocked_at, block.id) < (${after.key}, ${after.id})` : sql.empty()
  const ofKind = (one: Block['kind']) =>
    sql`SELECT ${columnsOf(blocks, 'block')}, thing.owner_id, thing.name, ${kinds[one].isGone} AS is_gone
      FROM blocks AS block INDEXED BY blocks_newest CROSS JOIN ${kinds[one].table} AS thing ON thing.id = block.id
      WHERE block.kind = ${one} ${beyond}`
  const statement = sql<BlockedRow>`${joined((kind ? [kind] : blockedKinds).map(ofKind), ' UNION ALL ')}
    ORDER BY block.blocked_at DESC, block.id DESC LIMIT ${limit + 1}`
  const windows = await pageOver(databases, { page: statement, hasMore: (rows) => rows.length > limit })
  const { rows, last } = mergedPage(windows, limit, latestFirst)
  const present = rows.filter(({ is_gone }) => is_gone === 0)
  return positionedPage(list, present, last && { key: last.blocked_at, id: last.id })
}

function latestFirst(one: BlockedRow, other: BlockedRow): number {
  if (one.id === other.id) return 0
  return other.blocked_at - one.blocked_at || (one.id > other.id ? -1 : 1)
}
