import type { Shape } from './paths.ts'

/** The answer to a request, as the probe recorded it. */
export interface RecordedAnswer {
  at_ms: number
  status: number
  body: string
  /** The statements of each round trip to the database. */
  trips: RecordedStatement[][]
}

export interface RecordedStatement {
  sql: string
  parameters: unknown[]
  rows_read: number
  rows_written: number
}

/** A parameter of a statement: the recorded value, or a value computed for each request. */
export type Parameter =
  | { kind: 'value'; value: unknown }
  | { kind: 'id'; index: number }
  | { kind: 'time'; unit_ms: number; offset: number }
  | { kind: 'body'; member: string }

/** The floor's plan for a path: the service's statements, trip by trip, and the shape of the answer. */
export interface Plan {
  shape: Shape
  trips: { sql: string; parameters: Parameter[] }[][]
}

/** The plan of each hot path, by its title. */
export type Plans = Record<string, Plan>

/** A recorded answer, and the body of the request that it answers. */
export interface Recording {
  answer: RecordedAnswer
  body: Record<string, unknown>
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Makes the plan of a path from two recordings, made at different seconds and with different bodies. Equal parameters are
 * constants. A differing one is a new id, a time, or a field of the body.
 */
export function planOf(shape: Shape, first: Recording, second: Recording): Plan {
  const ids: string[] = []
  const trips = first.answer.trips.map((statements, trip) =>
    statements.map(({ sql, parameters }, position) => {
      const other = second.answer.trips[trip]?.[position]
      if (other?.sql !== sql)
        throw new Error(`Two requests of one path sent different statements, one of them:\n${sql}`)
      return {
        sql,
        parameters: parameters.map((value, i) => parameter(value, other.parameters[i])),
      }
    }),
  )
  return { shape, trips }

  function parameter(value: unknown, other: unknown): Parameter {
    if (value === other) return { kind: 'value', value }
    if (typeof value === 'number') {
      const unit_ms = value > 1e12 ? 1 : 1_000
      return { kind: 'time', unit_ms, offset: value - Math.floor(first.answer.at_ms / unit_ms) }
    }
    const member = Object.keys(first.body).find(
      (name) => first.body[name] === value && second.body[name] === other,
    )
    if (member) return { kind: 'body', member }
    if (!isId(value))
      throw new Error(`The bench does not know how to compute the parameter ${JSON.stringify(value)}.`)
    return { kind: 'id', index: indexOf(value) }
  }

  function indexOf(id: string): number {
    if (!ids.includes(id)) ids.push(id)
    return ids.indexOf(id)
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}

/** The cost of a request: its round trips to the database, and the rows that they read. */
export function costOf(answer: RecordedAnswer | undefined): { trips: number; rows_read: number } {
  const trips = answer?.trips ?? []
  return { trips: trips.length, rows_read: trips.flat().reduce((sum, { rows_read }) => sum + rows_read, 0) }
}
