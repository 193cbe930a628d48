import { type SQL, sql } from 'drizzle-orm'
import { exists, isGoneAtRoot } from '../../features/files/path.ts'
import type { RequestContext } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { blockedKinds } from '../../platform/db/enumerations.ts'
import { partitionOf } from '../../platform/db/id.ts'
import { isWholeNumber, type Page, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { blocks, type files } from '../../platform/db/schema.ts'
import { columnsOf, joined, type Params, type Prepared, perShape, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { pageOver } from '../../platform/shards/pages.ts'
import { mergedPage, type Window, windowOf } from '../../platform/shards/windows.ts'
import type { BlockedContent, ListBlocked } from './schema.ts'

type Block = typeof blocks.$inferSelect

/** A block with the owner and name of the blocked item. `is_gone`: the item is being deleted permanently. */
export type BlockedRow = Block & Pick<typeof files.$inferSelect, 'owner_id' | 'name'> & { is_gone: 0 | 1 }

/**
 * The table of each kind, and SQL for whether a row `content` is being deleted permanently; a file also with a folder above it.
 * The alias `item` would clash with the alias inside `exists`.
 */
const kinds: Record<Block['kind'], { table: SQL; isGone: SQL }> = {
  files: {
    table: sql`files`,
    isGone: sql`iif(content.parent_id IS NULL, ${isGoneAtRoot(sql`content`)}, NOT ${exists(sql`content.id`)})`,
  },
  assets: {
    table: sql`game_assets`,
    isGone: sql`content.purging = 1 OR content.created_at <= ${erasedUntil(sql`content.owner_id`)}`,
  },
}

const pageOfBlocks = perShape(
  ({ kind, inPartition, isFirst }: { kind: ListBlocked['kind']; inPartition: boolean; isFirst: boolean }) =>
    statement((p: Params<'partition' | 'key' | 'id' | 'limit'>) => {
      const ofKind = (one: Block['kind']) =>
        sql`SELECT ${columnsOf(blocks, 'block')}, content.owner_id, content.name, ${kinds[one].isGone} AS is_gone
          FROM blocks AS block INDEXED BY ${sql.raw(inPartition ? 'blocks_in_partition' : 'blocks_newest')}
          CROSS JOIN ${kinds[one].table} AS content ON content.id = block.id
          WHERE block.kind = ${one} ${inPartition ? sql`AND substr(block.id, 21, 3) = ${p.partition}` : sql.empty()}
            ${isFirst ? sql.empty() : sql`AND (block.blocked_at, block.id) < (${p.key}, ${p.id})`}`
      return sql<BlockedRow>`${joined((kind ? [kind] : blockedKinds).map(ofKind), ' UNION ALL ')}
        ORDER BY block.blocked_at DESC, block.id DESC LIMIT ${p.limit}`
    }),
)

/**
 * Lists blocked items, latest block first (docs/conformance.md#for-those-who-run-it). An item that is only in a blocked folder
 * is not listed. A page omits items that are being deleted permanently and, with `owner_id`, those of other owners in the
 * owner's partition, so it may have fewer than `limit` rows.
 *
 * @throws INVALID_CURSOR
 */
export async function listBlocked(
  { databases }: RequestContext,
  { kind, owner_id, limit, cursor }: ListBlocked,
): Promise<Page<BlockedRow>> {
  const list = owner_id === undefined ? ['blocked', kind] : ['blocked', kind, owner_id]
  const after = positionAt(cursor, list, isWholeNumber)
  const { key, id } = after ?? { key: null, id: null }
  const partition = owner_id === undefined ? null : partitionOf(owner_id)
  const shape = { kind, inPartition: partition !== null, isFirst: after === undefined }
  const page = pageOfBlocks(shape)({ partition, key, id, limit: limit + 1 })
  const hasMore = (rows: BlockedRow[]) => rows.length > limit
  const windows =
    owner_id === undefined
      ? await pageOver(databases, { page, hasMore })
      : [await windowAt(databases.home(owner_id), page, hasMore)]
  const { rows, last } = mergedPage(windows, limit, latestFirst)
  const present = rows.filter((row) => row.is_gone === 0 && (owner_id ?? row.owner_id) === row.owner_id)
  return positionedPage(list, present, last && { key: last.blocked_at, id: last.id })
}

/** Reads the page from the primary of an owner's home. */
async function windowAt(
  db: Database,
  page: Prepared<BlockedRow>,
  hasMore: (rows: BlockedRow[]) => boolean,
): Promise<Window<BlockedRow>> {
  db.usePrimary()
  const rows = await db.read(page)
  return windowOf(rows, rows, hasMore)
}

function latestFirst(one: BlockedRow, other: BlockedRow): number {
  if (one.id === other.id) return 0
  return other.blocked_at - one.blocked_at || (one.id > other.id ? -1 : 1)
}

/** The API's representation of a block. */
export function blockedRecord(row: BlockedRow): BlockedContent {
  const { kind, id, owner_id, name, blocked_at, blocked_by, reason } = row
  return { kind, id, owner_id, name, blocked_at, blocked_by, reason }
}
