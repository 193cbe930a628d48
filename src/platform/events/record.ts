import { SQL, sql } from 'drizzle-orm'
import type { EventType } from '../config/event-names.ts'
import type { Config } from '../config/variables.ts'
import { type RequestContext, seconds } from '../context.ts'
import { partitionOf } from '../db/id.ts'
import { joined, type Rendered, render } from '../db/sql.ts'
import type { EventData } from './types.ts'
import { isWanted } from './wanted.ts'

/** What decides whether events are written, and when they happen. */
export type EventContext = Pick<RequestContext, 'config' | 'now_ms'>

/** Events that a statement writes: one for each row of `from`. */
interface NewEvents<Type extends EventType> {
  /** What the event is about. Its events are delivered one after the other. */
  thing_id: string | SQL
  /** The user in whose partition the event is, when `thing_id` is no id of the service's. */
  user_id?: string
  data: { [Name in keyof EventData<Type>]: EventData<Type>[Name] | SQL }
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
 * the layout `01` and the partition.
 */
export function eventStatement<Type extends EventType>(
  ctx: EventContext,
  type: Type,
  events: () => NewEvents<Type>,
): Rendered[] {
  if (!isWanted(ctx, type)) return []
  const { thing_id, user_id, data, from } = events()
  const time = ctx.now_ms.toString(16).padStart(12, '0')
  const start = `${time.slice(0, 8)}-${time.slice(8)}-7`
  const members = Object.entries<unknown>(data).flatMap(([name, value]) => [sql`${name}`, jsonOf(value)])
  const id = sql`${start} || substr(lower(hex(randomblob(2))), 2) || '-9' || ${user_id === undefined ? sql`substr(event.thing_id, 21, 3)` : partitionOf(user_id)}
      || '-' || lower(hex(randomblob(6)))`
  const entry = sql`${entryInto} SELECT ${id}, ${type}, event.thing_id, event.data, ${seconds(ctx)}, ${limitsOf(ctx, sql`${type}`)}
    FROM (SELECT ${thing_id} AS thing_id, json_object(${joined(members, ', ')}) AS data ${from}) AS event`
  return [{ ...render(sql`${entry} RETURNING 1 AS written`), writesEvents: true }]
}

/** SQL: the beginning of the INSERT that records events. Behind it stands a SELECT that ends with `limitsOf`. */
export const entryInto = sql`INSERT INTO outbox_entry (id, type, thing_id, data, created_at, max_events, max_of_owner)`

/**
 * SQL: how many events the outbox holds at most, of all owners and of one. The end of an erasure is dropped by a full outbox
 * only: the erasure may have written more than its user's share of events itself.
 */
export function limitsOf(
  { config }: { config: Pick<Config, 'MAX_EVENTS' | 'MAX_EVENTS_PER_USER'> },
  type: SQL,
): SQL {
  return sql`${config.MAX_EVENTS}, iif(${type} = 'user.erased', NULL, ${config.MAX_EVENTS_PER_USER})`
}

/** SQL: a member's value in a JSON object. A number that is bound becomes a REAL, and would have a decimal point. */
function jsonOf(value: unknown): SQL {
  return value instanceof SQL ? value : sql`json(${JSON.stringify(value)})`
}
