import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../../platform/context.ts'
import { pooled } from '../../../platform/lib/pool.ts'
import { type CountedTable, counters } from '../../user-rows.ts'
import { currentMove } from './moves.ts'
import type { Stage } from './names.ts'
import { locationsOf } from './plan.ts'

/**
 * The size of a row with its indexes, in bytes, as measured (scripts/capacity/rows.json). No counter knows the shares and the
 * garbage of a user, so they are left out.
 */
const BYTES: Counts = {
  usage: 98,
  files: 708,
  uploads: 435,
  game_assets: 684,
  asset_versions: 361,
  favorites: 240,
  mutes: 240,
  idempotency: 289,
}

/**
 * The duration of a move for each row that the counters know, in milliseconds, as measured
 * (docs/scaling.md#how-a-move-works). It includes all steps, and the rows that no counter knows.
 */
const MS_PER_ROW = 0.35

/** Consecutive partitions in one database, and the number of their users and rows. */
interface Block {
  first: string
  last: string
  users: number
  rows: number
  /** An estimate from BYTES. */
  bytes: number
  /** An estimate of the duration of their move. */
  seconds: number
}

/** A database with its partitions. */
interface DatabaseOverview {
  database: string
  /** Its size, as D1 reports it; null: not reported. */
  bytes: number | null
  users: number
  rows: number
  blocks: Block[]
}

/** Every database, and the move that is under way. */
export interface Overview {
  databases: DatabaseOverview[]
  move: { source: string; target: string; stage: Stage; partitions: number; rows_copied: number } | null
}

/** The number of rows of each table with a counter, and of `usage`, which has one row a user. */
type Counts = Record<CountedTable | 'usage', number>

const sums = sql.raw(
  Object.entries(counters)
    .map(([table, counter]) => `sum(${counter}) AS ${table}`)
    .join(', '),
)

const bytesOf = new Map(Object.entries(BYTES))

/** Partitions of one block have this many first digits in common: 16 blocks in all, or more where databases alternate. */
const DIGITS = 1

/** Reads which database has which partitions, and how many rows these have by the users' counters. @throws UNAVAILABLE */
export async function readOverview({ databases }: Pick<RequestContext, 'databases'>): Promise<Overview> {
  const [move, locations] = await Promise.all([currentMove(databases), locationsOf(databases)])
  const overviews = await pooled(databases.names, async (database) => {
    const session = databases.unfenced(database)
    const [rows] = await session.send([
      sql<
        Counts & { partition: string }
      >`SELECT partition, count(*) AS usage, ${sums} FROM usage GROUP BY partition`,
    ])
    const counts = new Map(rows.map(({ partition, ...counted }) => [partition, counted]))
    const own = [...locations].filter(([, name]) => name === database).map(([partition]) => partition)
    const blocks = blocksOf(own, counts)
    const total = (of: (block: Block) => number) => blocks.reduce((sum, block) => sum + of(block), 0)
    const bytes = session.size_bytes ?? null
    return { database, bytes, users: total(({ users }) => users), rows: total(({ rows }) => rows), blocks }
  })
  return { databases: overviews, move: move ? moveIn(move) : null }
}

function moveIn(move: NonNullable<Awaited<ReturnType<typeof currentMove>>>): Overview['move'] {
  const { source, target, partitions } = move
  const { stage, copied } = target.position
  return { source, target: target.session.name, stage, partitions: partitions.length, rows_copied: copied }
}

function blocksOf(partitions: readonly string[], counts: Map<string, Counts>): Block[] {
  const blocks: Block[] = []
  for (const partition of partitions) {
    const counted = counts.get(partition)
    const users = counted?.usage ?? 0
    const numbers = Object.entries(counted ?? {})
    const rows = numbers.reduce((sum, [, count]) => sum + count, 0)
    const bytes = numbers.reduce((sum, [table, count]) => sum + count * (bytesOf.get(table) ?? 0), 0)
    const last = blocks.at(-1)
    if (last && follows(last.last, partition)) {
      last.last = partition
      last.users += users
      last.rows += rows
      last.bytes += bytes
    } else blocks.push({ first: partition, last: partition, users, rows, bytes, seconds: 0 })
  }
  return blocks.map((block) => ({ ...block, seconds: Math.ceil((block.rows * MS_PER_ROW) / 1_000) }))
}

function follows(before: string, partition: string): boolean {
  const isNext = Number.parseInt(partition, 16) === Number.parseInt(before, 16) + 1
  return isNext && before.slice(0, DIGITS) === partition.slice(0, DIGITS)
}
