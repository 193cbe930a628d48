import { type SQL, sql } from 'drizzle-orm'
import type { moves } from '../../../platform/db/schema.ts'
import { Moved, type Session } from '../../../platform/db/session.ts'
import { pooled } from '../../../platform/lib/pool.ts'
import type { Databases } from '../../../platform/shards/databases.ts'
import type { Stage } from './names.ts'
import { MOVING_PARTITIONS } from './tables.ts'

/** The progress of a move. Its stage continues at `after`, `table` and `key`. */
export interface MovePosition {
  stage: Stage
  /** The last user of the groups that are done; null after all groups. */
  after: string | null
  /** The index of the table among those of the group or of the partitions. */
  table: number
  /** The key of the table's last row that is done; '' at its beginning. */
  key: string
  /** How many rows have been copied. */
  copied: number
  /** How many rows have been compared, by table. */
  compared: Record<string, number>
  /** When the partitions were frozen, in milliseconds. */
  frozen_ms: number
  /** Why the move is taken back. */
  reason?: string
}

/** The position at the beginning of a stage. */
export const START = { after: '', table: 0, key: '' } as const

/** A move as one of its two databases knows it. */
export interface Side {
  session: Session
  step: number
  position: MovePosition
}

/** The move that is under way. */
export interface Move {
  id: string
  source: string
  target: Side
  /** The source's side. Undefined before the partitions are frozen, and after the source has ended the move. */
  from: Side | undefined
  /** Its partitions, as the source has them or, without the source's side, the target. */
  partitions: string[]
}

type MoveRow = Omit<typeof moves.$inferSelect, 'one'>

/**
 * Finds the move that is under way between any two databases. A source whose target has no such move was frozen too late: its
 * partitions are opened again.
 *
 * @throws UNAVAILABLE
 */
export async function currentMove(databases: Databases): Promise<Move | undefined> {
  const found = await pooled(databases.names, (name) => sideIn(databases, name))
  const targets = found.filter((known) => known?.row.role === 'target')
  // Two movers may have begun at once. The move that has frozen its partitions comes first; the other is taken back.
  const hasFrozen = (target: Known | undefined) =>
    found.some((known) => known?.row.role === 'source' && known.row.id === target?.row.id)
  const target = targets.find(hasFrozen) ?? targets[0]
  if (!target) {
    const [late] = found.filter((known) => known !== undefined)
    if (!late) return undefined
    // The target may have been asked before the move was announced there.
    const announced = await sideIn(databases, late.row.other)
    if (announced?.row.id === late.row.id) return moveOf(databases, announced)
    await reopen(late)
    return undefined
  }
  return moveOf(databases, target)
}

/** The move of a target. Its source is asked after the target, so that the two answers belong together. */
async function moveOf(databases: Databases, target: Known): Promise<Move> {
  const { id, other } = target.row
  const source = await sideIn(databases, other)
  const from = source?.row.id === id ? source : undefined
  return { id, source: other, target: target.side, from: from?.side, partitions: (from ?? target).partitions }
}

interface Known {
  row: MoveRow
  side: Side
  partitions: string[]
}

async function sideIn(databases: Databases, name: string): Promise<Known | undefined> {
  const session = databases.unfenced(name)
  const [[row], partitions] = await session.send([
    sql<MoveRow>`SELECT id, role, other, step, position FROM moves WHERE one = 1`,
    MOVING_PARTITIONS,
  ])
  if (!row) return undefined
  const position: MovePosition = JSON.parse(row.position)
  return {
    row,
    side: { session, step: row.step, position },
    partitions: partitions.map(({ partition }) => partition),
  }
}

async function reopen({ row, side }: Known): Promise<void> {
  await side.session.send([
    moveFence(row.id, side),
    sql`UPDATE partitions SET state = 'open', moved_to = NULL WHERE state = 'frozen'`,
    sql`DELETE FROM moves WHERE one = 1`,
  ])
}

/** The statement that begins a batch of the mover. It refuses the batch unless the move is at the side's step. */
function moveFence(id: string, side: Side): SQL {
  return sql`INSERT INTO move_fence (id, step) VALUES (${id}, ${side.step})`
}

/**
 * Takes one step in one of the databases: executes the statements and records the next position, in one transaction. Returns
 * the rows of each statement.
 *
 * @throws Moved when another mover has taken the step
 */
export async function takeStep(
  move: Move,
  side: Side,
  next: MovePosition,
  statements: SQL[],
): Promise<unknown[][]> {
  const [, ...answers] = await side.session.send([
    moveFence(move.id, side),
    ...statements,
    sql`UPDATE moves SET step = step + 1, position = ${JSON.stringify(next)} WHERE one = 1`,
  ])
  side.step++
  side.position = next
  return answers.slice(0, -1)
}

/** Ends the move in one of its databases. @throws Moved when another mover has taken the step */
export async function endIn(move: Move, side: Side, statements: SQL[]): Promise<void> {
  await side.session.send([moveFence(move.id, side), ...statements, sql`DELETE FROM moves WHERE one = 1`])
}

/** Whether another mover, or an earlier try, has taken the step. The move has to be read again then. */
export function isTaken(error: unknown): boolean {
  return error instanceof Moved
}
