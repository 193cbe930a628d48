/** One line of EXPLAIN QUERY PLAN. */
export interface PlanLine {
  id: number
  parent: number
  detail: string
}

/** A plan that reads more than an index finds is allowed where a note says why. */
export interface Note {
  /** A part of the statement; white space counts as one space. */
  statement: string
  /** What its plan may hold, as EXPLAIN QUERY PLAN says it. */
  plan: string
  reason: string
}

/** What a note is called where it is counted as used. */
export const keyOf = ({ statement, plan }: Note) => `${plan}, in: ${normal(statement)}`

/** What a plan is judged by. */
export interface Known {
  /** The names of the database's own tables. */
  tables: readonly string[]
  /** Columns that hold one of a few values: a search by nothing else finds most of the table. */
  coarse: ReadonlySet<string>
  notes: readonly Note[]
}

/**
 * What is wrong with a statement's plan, one line each; nothing if it goes by an index wherever it reads a table. A
 * scan reads what everybody has stored, and D1 runs one statement at a time.
 */
export function faultsOf(query: string, plan: readonly PlanLine[], known: Known): string[] {
  return judgementsOf(query, plan, known).flatMap(({ line, fault, note }) =>
    note === undefined ? [`${fault}: ${line.detail}`] : [],
  )
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
  /** What the plan may call a table of the database. */
  real: ReadonlySet<string>
  /** What it may call rows that the statement makes itself: WITH, a subquery in FROM. */
  derived: ReadonlySet<string>
}

function faultOf(line: PlanLine, plan: readonly PlanLine[], statement: Statement): string | undefined {
  const { detail } = line
  if (/\bAUTOMATIC\b/.test(detail)) return 'an index is built for this statement'
  if (/TEMP B-TREE/.test(detail)) return 'a temporary B-tree'
  const [, way, name = '', rest = ''] = /^(SCAN|SEARCH) (\S+)(.*)$/.exec(detail) ?? []
  if (way === 'SEARCH') return statement.real.has(name) ? searchFault(rest, statement) : undefined
  if (way === undefined || isConstant(detail)) return undefined
  // FTS5 says by what it searches, and nothing when it scans; json_each of something has the number 1 or 3.
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

/** Whether a list of that name is each row's own, and not one that the statement was given. */
function isOfRow(name: string, { statement }: Statement): boolean {
  const lists = [...statement.matchAll(/\bjson_each\(([^()]*)\)(?: AS)? "?(\w+)?/g)]
  const named = lists.filter(([, , alias]) => alias === name || name === 'json_each')
  return named.length > 0 && named.every(([, of]) => of !== '?')
}

/**
 * SQLite calls it a search, too, when it looks for a minimum from one end on, and takes `IS NOT NULL` for a bound.
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
 * Going through rows that the statement has made itself is cheap once. For each row of something else it is not,
 * unless they are made for that row.
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

/** The lines that a line stands under, from the nearest up. */
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
