import { SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { outbox } from '../db/schema.ts'
import { insert, joined, type Rendered, render } from '../db/sql.ts'
import type { EventType } from './names.ts'
import type { EventData } from './types.ts'
import { isWanted } from './wanted.ts'

/** What decides whether events are written, and when they happen. */
export type EventContext = Pick<RequestContext, 'config' | 'now_ms'>

/** Events that a statement writes: one for each row of `from`. */
interface NewEvents<Type extends EventType> {
  /** What the event is about. Its events are delivered one after the other. */
  thing_id: string | SQL
  /** The bucket that the event belongs to, three hexadecimal digits: that of the thing's id unless it is given. */
  bucket?: string
  data: { [Name in keyof EventData<Type>]: EventData<Type>[Name] | SQL }
  /** SQL: the place of a row among those of the same thing, from 0 on; for a statement that writes several of one. */
  place?: SQL
  /**
   * SQL: the rest of a SELECT (`FROM … WHERE …`). It answers a row exactly when the batch does what the event tells of: it
   * reads what a statement before it wrote, or repeats the condition of the statement after it.
   */
  from: SQL
}

/**
 * The statement that writes `events`, for the batch that does what they tell of; none when such events are not wanted. The
 * database notes where events were written (`Databases.eventsIn`), so that the delivery is woken after the batch.
 *
 * The id is made here and not by `newId`, because one statement may write many rows. It has the same layout: a UUIDv7 with
 * the layout `01` and the bucket.
 */
export function eventStatement<Type extends EventType>(
  ctx: EventContext,
  type: Type,
  events: () => NewEvents<Type>,
): Rendered[] {
  if (!isWanted(ctx, type)) return []
  const { thing_id, bucket, data, place = sql`0`, from } = events()
  const time = ctx.now_ms.toString(16).padStart(12, '0')
  const start = `${time.slice(0, 8)}-${time.slice(8)}-7`
  const members = Object.entries<unknown>(data).flatMap(([name, value]) => [sql`${name}`, jsonOf(value)])
  const row = {
    id: sql`${start} || substr(lower(hex(randomblob(2))), 2) || '-9' || ${bucket ?? sql`substr(event.thing_id, 21, 3)`}
      || '-' || lower(hex(randomblob(6)))`,
    type,
    thing_id: sql`event.thing_id`,
    seq: sql`coalesce((SELECT max(earlier.seq) FROM outbox AS earlier
      WHERE earlier.thing_id = event.thing_id AND earlier.parked_at IS NULL), 0) + 1 + event.place`,
    data: sql`event.data`,
    created_at: seconds(ctx),
    next_at: seconds(ctx),
  }
  const source = sql`FROM (SELECT ${thing_id} AS thing_id, ${place} AS place, json_object(${joined(members, ', ')}) AS data ${from}) AS event`
  return [{ ...render(sql`${insert(outbox, row, source)} RETURNING 1 AS written`), writesEvents: true }]
}

/** SQL: a member's value in a JSON object. A number that is bound becomes a REAL, and would have a decimal point. */
function jsonOf(value: unknown): SQL {
  return value instanceof SQL ? value : sql`json(${JSON.stringify(value)})`
}
