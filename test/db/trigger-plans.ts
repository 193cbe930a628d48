import { env } from 'cloudflare:workers'
import { argumentFaults } from '../support/function-arguments.ts'

/** One instruction of what EXPLAIN shows. */
interface Instruction {
  addr: number
  opcode: string
  p1: number
  p2: number
  p4: string | null
}

interface Column {
  table: string
  column: string
  key: number
}

/**
 * The faults of the programs that EXPLAIN QUERY PLAN does not show: those of triggers and foreign keys. Each program belongs to
 * a change of a table, so each table is changed in each way. Also the functions of the schema that D1 would refuse.
 */
export async function triggerFaults(): Promise<string[]> {
  const { results: roots } = await env.DB.prepare(
    'SELECT rootpage AS page, tbl_name AS name FROM sqlite_schema WHERE rootpage > 0',
  ).all<{ page: number; name: string }>()
  const names = new Map(roots.map(({ page, name }) => [page, name]))
  const changes = await changesOfTables()
  const programs = await env.DB.batch<Instruction>(
    changes.map((change) => {
      const parameters: null[] = Array(change.split('?').length - 1).fill(null)
      // The text differs each time, because a cached statement is not compiled again after a change of the schema.
      return env.DB.prepare(`EXPLAIN ${change} -- ${crypto.randomUUID()}`).bind(...parameters)
    }),
  )
  const faults = programs.flatMap(({ results }) =>
    beside(results).flatMap((program) => faultsIn(program, names)),
  )
  return [...new Set([...faults, ...(await schemaFaults())])]
}

/** The functions with too many arguments in triggers, views, indexes and CHECKs. */
async function schemaFaults(): Promise<string[]> {
  const { results } = await env.DB.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all<{
    name: string
    sql: string
  }>()
  return results.flatMap(({ name, sql }) => argumentFaults(sql).map((fault) => `${name}: ${fault}`))
}

async function changesOfTables(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT tables.name AS "table", columns.name AS "column", columns.pk AS key
    FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.sql LIKE '% STRICT%'`,
  ).all<Column>()
  return [...Map.groupBy(results, ({ table }) => table)].flatMap(([table, columns]) => {
    const all = columns.map(({ column }) => column)
    const where = columns.filter(({ key }) => key > 0).map(({ column }) => `${column} = ?`)
    return [
      `INSERT INTO ${table} (${all}) VALUES (${all.map(() => '?')})`,
      `UPDATE ${table} SET ${all.map((column) => `${column} = ?`)} WHERE ${where.join(' AND ')}`,
      `DELETE FROM ${table} WHERE ${where.join(' AND ')}`,
    ]
  })
}

/** The programs that follow the statement's own: each begins at 0. */
function beside(instructions: Instruction[]): Instruction[][] {
  const programs: Instruction[][] = []
  for (const instruction of instructions) {
    if (instruction.addr === 0) programs.push([])
    programs.at(-1)?.push(instruction)
  }
  return programs.slice(1)
}

/** The triggers that go through json_each of a column: of the categories that a case was reported for. */
const READING_JSON = ['cases_after_update_categories']

function faultsIn(program: Instruction[], names: Map<number, string>): string[] {
  const name = program[0]?.p4?.replace('-- TRIGGER ', '') ?? 'a foreign key'
  const opened = new Map(
    program
      .filter(({ opcode }) => /^Open(Read|Write)$/.test(opcode))
      .map(({ p1, p2 }) => [p1, names.get(p2)]),
  )
  // A walk through a B-tree from one of its ends, unless each row is asked whether it is still within the bound.
  const isBound = (cursor: number) =>
    program.some(({ opcode, p1 }) => /^Idx[GL][TE]$/.test(opcode) && p1 === cursor)
  return program.flatMap(({ opcode, p1, p4 }) => {
    if (/^(Rewind|Last|Count)$/.test(opcode) && opened.has(p1) && !isBound(p1))
      return [`${name} goes through ${opened.get(p1)}`]
    if (opcode === 'SorterOpen') return [`${name} sorts`]
    if (opcode === 'OpenAutoindex') return [`${name} builds an index`]
    if (opcode === 'VFilter' && !p4 && !READING_JSON.includes(name))
      return [`${name} goes through a virtual table`]
    return []
  })
}
