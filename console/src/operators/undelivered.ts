import { sentence } from '../controls/format.ts'
import { itemsIn, member, numberIn, record, textIn } from '../json.ts'

/** An event that the receiver has not got yet. */
export interface UndeliveredEvent {
  id: string
  type: string
  resource_id: string
  data: Record<string, unknown>
  created_at: number
  attempts: number
  next_at: number
  /** When the service gave up; 0 while it tries. */
  parked_at: number
  /** Why the last delivery failed; '' when none has. */
  last_error: string
  /** When it failed; 0 when none has. */
  last_failed_at: number
}

/** The undelivered events of all databases, with their numbers, each of which may be larger than the list. */
export interface Undelivered {
  is_configured: boolean
  waiting_count: number
  parked_count: number
  dropped_count: number
  waiting: readonly UndeliveredEvent[]
  parked: readonly UndeliveredEvent[]
}

/** Reads the answer of `GET /v1/events` (docs/openapi.operators.json). */
export function undeliveredIn(answer: unknown): Undelivered {
  const databases = itemsIn(answer, 'databases')
  const sum = (name: string) => databases.reduce<number>((all, one) => all + numberIn(one, name), 0)
  return {
    is_configured: member(answer, 'is_configured') === true,
    waiting_count: sum('waiting'),
    parked_count: sum('parked'),
    dropped_count: sum('dropped'),
    waiting: itemsIn(answer, 'waiting').map(eventIn),
    parked: itemsIn(answer, 'parked').map(eventIn),
  }
}

function eventIn(value: unknown): UndeliveredEvent {
  return {
    id: textIn(value, 'id'),
    type: textIn(value, 'type'),
    resource_id: textIn(value, 'resource_id'),
    data: record(member(value, 'data')),
    created_at: numberIn(value, 'created_at'),
    attempts: numberIn(value, 'attempts'),
    next_at: numberIn(value, 'next_at'),
    parked_at: numberIn(value, 'parked_at'),
    last_error: textIn(value, 'last_error'),
    last_failed_at: numberIn(value, 'last_failed_at'),
  }
}

/** Why a delivery failed, in words, from the service's own text (src/operators/events/signed-post.ts). */
export function reasonOf(last_error: string): string {
  return last_error === ''
    ? 'the receiver did not answer'
    : `the receiver ${last_error.replace(/^no answer/, 'gave no answer')}`
}

/** The type of an event as a title: 'Asset version added' for `asset.version_added`. */
export function titleOf(type: string): string {
  return sentence(type.replaceAll(/[._]/g, ' '))
}
