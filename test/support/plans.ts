import { argumentFaults } from './function-arguments.ts'

/** One line of EXPLAIN QUERY PLAN. */
export interface PlanLine {
  id: number
  parent: number
  detail: string
}

/** Allows a plan that reads more rows than an index finds. */
export interface Note {
  /** A part of the statement; white space counts as one space. */
  statement: string
  /** A line that the plan may contain, as in EXPLAIN QUERY PLAN. */
  plan: string
  reason: string
}

/** The name under which the use of a note is counted. */
export const keyOf = ({ statement, plan }: Note) => `${plan}, in: ${normal(statement)}`

/** The facts about a database that plans are checked against. */
export interface Known {
  /** The names of the database's own tables. */
  tables: readonly string[]
  /** Columns with few distinct values: a search by these alone finds most of the table. */
  coarse: ReadonlySet<string>
  notes: readonly Note[]
}

/**
 * The faults of a statement, one line each; none when each read of a table uses an index, and D1 takes its functions. A scan
 * reads the rows of all users, and D1 runs one statement at a time.
 */
export function faultsOf(query: string, plan: readonly PlanLine[], known: Known): string[] {
  const reads = judgementsOf(query, plan, known).flatMap(({ line, fault, note }) =>
    note === undefined ? [`${fault}: ${line.detail}`] : [],
  )
  return [...reads, ...argumentFaults(query)]
}

/** The notes that a statement's plan needs. */
export function notesFor(query: string, plan: readonly PlanLine[], known: Known): Note[] {
  return judgementsOf(query, plan, known).flatMap(({ note }) => (note === undefined ? [] : [note]))
}

/** The lines of a plan that read more than an index finds, each with the note that allows it. */
function judgementsOf(
  query: string,
  plan: readonly PlanLine[],
  known: Known,
): { line: PlanLine; fault: string; note: Note | undefined }[] {
  const statement = normal(query)
  const noted = known.notes.filter((note) => statement.includes(normal(note.statement)))
  const names = namesIn(statement, known.tables)
  return plan.flatMap((line) => {
    const fault = faultOf(line, plan, { ...known, ...names, statement })
    return fault ? [{ line, fault, note: noted.find((note) => note.plan === line.detail) }] : []
  })
}

interface Statement extends Known {
  statement: string
  /** The names and aliases of the database's tables in the plan. */
  real: ReadonlySet<string>
  /** The names of rows that the statement makes itself: WITH, a subquery in FROM. */
  derived: ReadonlySet<string>
}

function faultOf(line: PlanLine, plan: readonly PlanLine[], statement: Statement): string | undefined {
  const { detail } = line
  if (/\bAUTOMATIC\b/.test(detail)) return 'an index is built for this statement'
  if (/TEMP B-TREE/.test(detail)) return 'a temporary B-tree'
  const [, way, name = '', rest = ''] = /^(SCAN|SEARCH) (\S+)(.*)$/.exec(detail) ?? []
  if (way === 'SEARCH') return statement.real.has(name) ? searchFault(rest, statement) : undefined
  if (way === undefined || isConstant(detail)) return undefined
  // The plan names the search of an FTS5 table, and has no name for its scan. json_each with an argument has the number 1 or 3.
  const [virtual, number = '', by = ''] = /VIRTUAL TABLE INDEX (\d+):(.*)$/.exec(detail) ?? []
  if (virtual !== undefined && by !== '') return undefined
  if (virtual !== undefined && number !== '1' && number !== '3') return 'a virtual table without a bound'
  if (/ USING (COVERING )?INDEX /.test(rest)) return 'an index without a bound'
  if (statement.real.has(name) && virtual === undefined) return 'a table without an index'
  if (!name.startsWith('(') && !statement.derived.has(name) && virtual === undefined)
    return 'a table of an unknown name'
  return virtual !== undefined && isOfRow(name, statement) ? undefined : repeatedFault(line, plan, name)
}

const isConstant = (detail: string) => /^SCAN (\d+ )?CONSTANT ROWS?$|-ROW VALUES CLAUSE/.test(detail)

/** Whether a list of this name comes from each row, and not from a parameter of the statement. */
function isOfRow(name: string, { statement }: Statement): boolean {
  const lists = [...statement.matchAll(/\bjson_each\(([^()]*)\)(?: AS)? "?(\w+)?/g)]
  const named = lists.filter(([, , alias]) => alias === name || name === 'json_each')
  return named.length > 0 && named.every(([, of]) => of !== '?')
}

/**
 * SQLite also reports a search for a minimum from one end of an index, and counts `IS NOT NULL` as a bound.
 */
function searchFault(rest: string, { coarse, statement }: Statement): string | undefined {
  const [, bound] = / \((.*)\)(?: LEFT-JOIN)?$/.exec(rest) ?? []
  if (bound === undefined) return 'an index without a bound'
  const columns = bound.split(' AND ').map((term) => /^(.*?)([<>=])\?$/.exec(term)?.slice(1) ?? [])
  if (columns.every(([column = '']) => coarse.has(column))) return 'a bound that most rows are within'
  const [column = '', operator] = columns.length === 1 ? (columns[0] ?? []) : []
  const isGiven = new RegExp(`\\b${escaped(column)}\\b(, \\w+)*\\)? (>|BETWEEN)`).test(statement)
  return operator === '>' && column !== 'rowid' && !isGiven ? 'a bound that all rows are within' : undefined
}

/**
 * A single scan of rows that the statement has made itself is cheap. A scan for each row of another table is not, unless
 * the rows are made for that row.
 */
function repeatedFault(line: PlanLine, plan: readonly PlanLine[], name: string): string | undefined {
  const before = plan.slice(0, plan.indexOf(line)).filter(({ parent }) => parent === line.parent)
  if (before.some(({ detail }) => detail.startsWith('SCAN ') && !isConstant(detail)))
    return 'a join without an index'
  const subquery = ancestors(line, plan).find(({ detail }) => / SUBQUERY \d+$/.test(` ${detail}`))
  if (!subquery?.detail.startsWith('CORRELATED ')) return undefined
  const isMadeForEach = plan.some(
    (made) => made.detail === `CO-ROUTINE ${name}` && ancestors(made, plan).includes(subquery),
  )
  return isMadeForEach ? undefined : 'a correlated subquery without an index'
}

/** The parents of a line in the plan, the nearest first. */
function ancestors(line: PlanLine, plan: readonly PlanLine[]): PlanLine[] {
  const parent = plan.find(({ id }) => id === line.parent)
  return parent ? [parent, ...ancestors(parent, plan)] : []
}

const keywords =
  /^(AND|AS|CROSS|DO|GROUP|INDEXED|INNER|JOIN|LEFT|LIMIT|NATURAL|NOT|ON|OR|ORDER|RETURNING|SELECT|SET|UNION|USING|VALUES|WHERE)$/i

function namesIn(statement: string, tables: readonly string[]): Pick<Statement, 'real' | 'derived'> {
  const alias = new RegExp(`\\b(?:${tables.map(escaped).join('|')})"?(?: AS)? "?(\\w+)`, 'gi')
  const common = /(?:\bWITH(?: RECURSIVE)?|\),) "?(\w+)"?(?: ?\([^()]*\))? AS (?:(?:NOT )?MATERIALIZED )?\(/gi
  return {
    real: new Set([...tables, ...names(statement, alias)]),
    derived: new Set([...names(statement, common), ...names(statement, /\)(?: AS)? "?(\w+)/gi)]),
  }
}

function names(statement: string, pattern: RegExp): string[] {
  return [...statement.matchAll(pattern)].flatMap(([, name = '']) => (keywords.test(name) ? [] : [name]))
}

/** The statement without comments and with single spaces. */
function normal(query: string): string {
  return query
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** How many parameters a statement takes, all of them written as `?`. */
export function parametersOf(query: string): number {
  return (
    normal(query)
      .replaceAll(/'[^']*'/g, '')
      .split('?').length - 1
  )
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
