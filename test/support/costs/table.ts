import { databaseNames } from '../databases.ts'
import type { Measured } from './measure.ts'
import { columns, type Price } from './priced.ts'

/** The measured requests, by name. */
export type Prices = Map<string, Measured>

/** A row of the table. A column that is left out is 0. */
export interface Row {
  route: string
  /** What the request costs where there is little. */
  few?: Partial<Price>
  /** What is different where there is a hundred times as much. */
  many?: Partial<Price>
  /** The budget of a request whose price varies, always or where there is much. */
  most?: Partial<Price>
}

/** The rows of a part, by the names of the requests. */
export type Table = Record<string, Record<string, Row>>

const calls = columns.filter((column) => !column.includes('rows'))

/** Rows read and written are no part of the table over several databases: whether a place is read hangs on where it is. */
const compared = databaseNames.length > 1 ? calls : columns

/** The row of a request. */
export function rowOf({ route, price, budget }: Measured, many?: Measured): Row {
  const of = (prices: Partial<Price>, isIn: (column: keyof Price) => boolean) =>
    Object.fromEntries(compared.filter(isIn).map((column) => [column, prices[column] ?? 0]))
  const most = of(budget, (column) => budget[column] !== undefined)
  if (budget.varies === 'always') return { route, most }
  const few = of(price, (column) => price[column] !== 0)
  if (budget.varies === 'many') return { route, few, most }
  if (!many || compared.every((column) => many.price[column] === price[column])) return { route, few }
  return { route, few, many: of(many.price, (column) => many.price[column] !== price[column]) }
}

/** The table as text: each request is a line. */
export function textOf(table: Table): string {
  const parts = Object.entries(table).map(([part, rows]) => `  "${part}": ${linesOf(rows, '  ')}`)
  return `{\n${parts.join(',\n')}\n}\n`
}

/** An object as text: each member is a line. */
export function linesOf(members: Record<string, object>, indent = ''): string {
  const lines = Object.entries(members).map(
    ([name, one]) => `${indent}  ${JSON.stringify(name)}: ${spaced(one)}`,
  )
  return `{\n${lines.join(',\n')}\n${indent}}`
}

/** An object on one line. */
function spaced(value: object): string {
  const members = Object.entries(value).map(
    ([name, one]) => `"${name}": ${typeof one === 'object' ? spaced(one) : JSON.stringify(one)}`,
  )
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}

/** What is different between two tables: a line for each figure, with what it was and what it is. */
export function differences(before: Table, now: Table): string[] {
  const parts = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return parts.flatMap((part) => {
    const [old, rows] = [before[part] ?? {}, now[part] ?? {}]
    return [...new Set([...Object.keys(old), ...Object.keys(rows)])].flatMap((request) => {
      const [was, is] = [old[request], rows[request]]
      if (!was) return [`"${request}" is new`]
      if (!is) return [`"${request}" is no longer measured`]
      return changed(was, is).map((line) => `"${request}", ${line}`)
    })
  })
}

function changed(was: Row, is: Row): string[] {
  if (was.route !== is.route) return [`the route was ${was.route}, and is ${is.route}`]
  return (['few', 'many', 'most'] as const).flatMap((size) =>
    columns.flatMap((column) => {
      const of = (row: Row) => row[size]?.[column] ?? (size === 'many' ? row.few?.[column] : undefined) ?? 0
      return of(was) === of(is) ? [] : [`${size}: ${column} was ${of(was)}, and is ${of(is)}`]
    }),
  )
}

/** How much more a request may read and write where there is a hundred times as much, unless its budget says that it grows. */
const MORE = 2

/** The requests that cost more where there is more, though their budgets don't say so. */
export function growing(few: Prices, many: Prices): string[] {
  return [...many].flatMap(([request, { price, budget }]) => {
    const less = few.get(request)?.price
    if (!less || budget.grows || budget.varies) return []
    return columns
      .filter((column) => price[column] > less[column] + (column.includes('rows') ? MORE : 0))
      .map(
        (column) =>
          `"${request}": ${column} is ${price[column]} where there is much, and ${less[column]} otherwise`,
      )
  })
}

/** What is different over several databases: the rows whose calls are the same as over one are left out. */
export function othersThan(one: Table, several: Table): Table {
  const isOther = (part: string, request: string, row: Row) =>
    differences(callsOf(one[part]?.[request], request), callsOf(row, request)).length > 0
  return Object.fromEntries(
    Object.entries(several).map(([part, rows]) => [
      part,
      Object.fromEntries(Object.entries(rows).filter(([request, row]) => isOther(part, request, row))),
    ]),
  )
}

/** A table of one row, of which only the calls are left. */
function callsOf(row: Row | undefined, request: string): Table {
  if (!row) return {}
  const left = (prices: Partial<Price> = {}) =>
    Object.fromEntries(calls.map((column) => [column, prices[column] ?? 0]))
  const { route, few, many, most } = row
  return {
    calls: { [request]: { route, few: left(few), many: left({ ...few, ...many }), most: left(most) } },
  }
}
