import { SQL, sql } from 'drizzle-orm'
import type { EventType } from '../config/event-names.ts'
import type { Config } from '../config/variables.ts'
import { type RequestContext, seconds } from '../context.ts'
import { type Bindable, joined, type Params, type Prepared, statement } from '../db/sql.ts'
import type { EventData } from './types.ts'

/** The configuration, which decides whether events are written, the time of the events, and who acts on behalf of the caller. */
export type EventContext = Pick<RequestContext, 'config' | 'now_ms' | 'actor_id'>

/** Events that a statement writes: one for each row of `from`. */
interface NewEvents<Type extends EventType> {
  /** SQL: the id of the resource that the event is about. Events of one resource are delivered one after the other. */
  resource_id: SQL
  /** SQL: the partition of the event, when `resource_id` has none because it is not an id of the service. */
  partition?: SQL
  data: { [Name in keyof EventData<Type>]: EventData<Type>[Name] | SQL }
  /**
   * SQL: the rest of a SELECT (`FROM … WHERE …`). It selects a row exactly when the batch makes the change: it reads the
   * rows of an earlier statement, or repeats the condition of a later one.
   */
  from: SQL
}

/** Makes the statement that writes events, from the values of its parameters; no statement when events of its type are not wanted. */
export type EventWriter<Name extends string> = (
  ctx: EventContext,
  values: { [One in Name]: Bindable },
) => Prepared[]

/**
 * The statement that writes events, for the batch that makes the change. `Databases.eventsIn` records the databases with new
 * events, so that delivery is woken after the request.
 *
 * SQL makes the ids and not `newId`, because one statement may write many rows. Their layout is the same: a UUIDv7 with the
 * layout tag `01` and the partition.
 */
export function eventWriter<Type extends EventType, Name extends string>(
  type: Type,
  events: (p: Params<Name>) => NewEvents<Type>,
): EventWriter<Name> {
  const write = statement((p: Params<string>) => {
    const { resource_id, partition = sql`substr(${resource_id}, 21, 3)`, data, from } = events(p)
    const members = Object.entries<unknown>(data).flatMap(([name, value]) => [sql`${name}`, jsonOf(value)])
    const id = sql`${p.event_id} || substr(lower(hex(randomblob(2))), 2) || '-9' || event.partition
      || '-' || lower(hex(randomblob(6)))`
    return sql`${entryInto} SELECT ${id}, ${type}, event.resource_id, event.data, ${p.event_created_at},
        ${p.max_events}, ${type === 'user.erased' ? null : p.max_events_of_owner}
      FROM (SELECT ${resource_id} AS resource_id, ${partition} AS partition, json_patch(
          json_object(${joined(members, ', ')}), json_object('actor', ${p.actor_id})) AS data ${from})
        AS event RETURNING 1 AS written`
  })
  return (ctx, values) => {
    if (!isWanted(ctx, type)) return []
    const time = ctx.now_ms.toString(16).padStart(12, '0')
    const own = {
      event_id: `${time.slice(0, 8)}-${time.slice(8)}-7`,
      event_created_at: seconds(ctx),
      // A null of json_patch adds no member.
      actor_id: ctx.actor_id ?? null,
      max_events: ctx.config.MAX_EVENTS,
      max_events_of_owner: ctx.config.MAX_EVENTS_PER_USER,
    }
    return [{ ...write({ ...values, ...own }), writesEvents: true }]
  }
}

/**
 * SQL: the start of the INSERT that records events; a SELECT has to follow. Its last two columns are the most events of the
 * outbox and the most of one owner. `user.erased` has no limit of its owner (NULL), because the erasure itself may have written
 * that many events.
 */
export const entryInto = sql`INSERT INTO outbox_entry (id, type, resource_id, data, created_at, max_events, max_of_owner)`

/** SQL: a member's value in a JSON object. A bound number would become a REAL and get a decimal point. */
function jsonOf(value: unknown): SQL {
  return value instanceof SQL ? value : sql`json(${JSON.stringify(value)})`
}

/** Whether events of a type are written. */
export function isWanted(
  { config }: { config: Pick<Config, 'WEBHOOK_URL' | 'WEBHOOK_EVENTS'> },
  type: EventType,
): boolean {
  const { WEBHOOK_URL, WEBHOOK_EVENTS } = config
  return WEBHOOK_URL !== undefined && (WEBHOOK_EVENTS === undefined || WEBHOOK_EVENTS.includes(type))
}
