import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../context.ts'
import { FIRST } from '../map.ts'
import { Allowance } from './allowance.ts'
import { locationsOf } from './plan.ts'
import { walks } from './walks.ts'

/**
 * The name under which `progress` of the first database has how far the preparation is. The trigger of `unhinted` removes the
 * row: what is shared or branched while one database is bound has no hints and markers.
 */
const TASK = 'moves_prepared'

/** How far the preparation is, as `progress` has it. */
interface Position {
  since: number
  database: number
  walk: number
  after: string
  isDone: boolean
}

/** What is left of the preparation. */
export type Preparation =
  | { state: 'settling'; seconds_left: number }
  | { state: 'preparing'; database: string; walk: string }
  | { state: 'prepared' }

type PrepareContext = Pick<RequestContext, 'databases' | 'bucket' | 'config' | 'now_ms'>

/**
 * Takes the next steps of what has to be done once before partitions may move: shares and branches from when one database
 * was bound get their hints, and content that branches share gets its markers. Begins `settle_seconds` after it was first
 * asked for, when no Worker runs any more that knows of one database only. With one database nothing can move, and hints
 * would stay for ever, since the job does not look at them. To be called until it answers `prepared`.
 *
 * @throws UNAVAILABLE
 */
export async function prepareStep(
  ctx: PrepareContext,
  settle_seconds: number,
  allowance = new Allowance(ctx.databases),
): Promise<Preparation> {
  const { databases } = ctx
  if (databases.isOnly) return { state: 'prepared' }
  const now = seconds(ctx)
  let position = await positionOf(ctx)
  if (position.isDone) return { state: 'prepared' }
  const seconds_left = position.since + settle_seconds - now
  if (seconds_left > 0) return { state: 'settling', seconds_left }
  const locations = await locationsOf(databases)
  const names = Object.keys(walks)
  while (!position.isDone) {
    const database = databases.names[position.database] ?? FIRST
    const walk = names[position.walk] ?? ''
    if (allowance.isSpent) return { state: 'preparing', database, walk }
    const after = await walks[walk]?.({ ...ctx, now, locations }, databases.primary(database), position.after)
    position = following(position, after, { walks: names.length, databases: databases.names.length })
    await databases
      .primary(FIRST)
      .send([sql`UPDATE progress SET position = ${JSON.stringify(position)} WHERE task = ${TASK}`])
  }
  return { state: 'prepared' }
}

/**
 * The statement that refuses a batch in the first database unless the preparation is done. The partitions there are frozen
 * by such a batch, so that nothing can be written without its hints and markers before the first one is elsewhere.
 */
export const onlyIfPrepared: SQL = sql`INSERT INTO move_fence (id, step) SELECT 'not prepared', 0
  WHERE NOT EXISTS (SELECT 1 FROM progress WHERE task = ${TASK} AND position ->> 'isDone')`

function following(
  position: Position,
  after: string | undefined,
  of: { walks: number; databases: number },
): Position {
  if (after !== undefined) return { ...position, after }
  const walk = position.walk + 1
  if (walk < of.walks) return { ...position, walk, after: '' }
  const database = position.database + 1
  return { ...position, database, walk: 0, after: '', isDone: database >= of.databases }
}

async function positionOf(ctx: PrepareContext): Promise<Position> {
  const first: Position = { since: seconds(ctx), database: 0, walk: 0, after: '', isDone: false }
  const [, rows = []] = await ctx.databases
    .primary(FIRST)
    .send([
      sql`INSERT INTO progress (task, position) VALUES (${TASK}, ${JSON.stringify(first)}) ON CONFLICT DO NOTHING`,
      sql`SELECT position FROM progress WHERE task = ${TASK}`,
    ])
  const text = rows.find(isPosition)?.position
  return text === undefined ? first : JSON.parse(text)
}

function isPosition(row: unknown): row is { position: string } {
  return typeof row === 'object' && row !== null && 'position' in row && typeof row.position === 'string'
}
