import { sql } from 'drizzle-orm'
import { countedWith, counters } from '../../user-rows.ts'
import { type Group, isAtEnd, pagesOf, tablesAt, upToFirstCut } from './groups.ts'
import { type Move, type MovePosition, START, takeStep } from './moves.ts'
import { copyOf, type PortableRow } from './rows.ts'

/** Copies the next rows of a group of users or, after all users, of the partitions. After the last rows, the stage is `compare`. */
export async function copyStep(move: Move, group: Group): Promise<void> {
  const { from, target } = move
  if (!from) return
  const { position } = target
  const tables = tablesAt(position)
  const found = await from.session.send(pagesOf(tables, group.users, position.key))
  const { pages, next } = upToFirstCut(position, group, found)
  const statements = pages.flatMap((page, index) => {
    const table = tables[index]
    return table && page.length > 0 ? copyOf(table, page) : []
  })
  const copied = position.copied + pages.flat().length
  const isDone = isAtEnd(position, pages, next)
  const following: MovePosition = isDone ? { ...next, stage: 'compare', ...START } : next
  await takeStep(move, target, { ...following, copied }, statements)
}

/**
 * Compares the next rows in the two databases with all their columns and, after the last rows, their number with the users'
 * counters. A difference takes the move back.
 */
export async function compareStep(move: Move, group: Group): Promise<void> {
  const { from, target } = move
  if (!from) return
  const { position } = target
  const tables = tablesAt(position)
  const statements = pagesOf(tables, group.users, position.key)
  const [found, copies] = await Promise.all([from.session.send(statements), target.session.send(statements)])
  const { pages, next } = upToFirstCut(position, group, found)
  const compared = { ...position.compared }
  for (const [index, page] of pages.entries()) {
    const table = tables[index]
    if (!table || table.isMerged) continue
    if (!areEqual(page, copies[index] ?? [])) {
      const reason = `the rows of ${table.name} after ${position.key || position.after || 'the beginning'} differ`
      await takeStep(move, target, { ...position, stage: 'undo', ...START, reason }, [])
      return
    }
    compared[table.name] = (compared[table.name] ?? 0) + page.length
  }
  const isDone = isAtEnd(position, pages, next)
  const following: MovePosition = isDone
    ? await afterCounting(move, { ...next, compared })
    : { ...next, compared }
  await takeStep(move, target, following, [])
}

/** The position after the comparison with the users' counters. Triggers keep these, so they count rows that the copy misses. */
async function afterCounting({ target }: Move, position: MovePosition): Promise<MovePosition> {
  const known = Object.entries(counters)
  const sums = sql.raw(known.map(([table, counter]) => `coalesce(sum(${counter}), 0) AS ${table}`).join(', '))
  const [[found]] = await target.session.send([
    sql<
      Record<string, number>
    >`SELECT ${sums} FROM moving_users CROSS JOIN usage ON usage.user_id = moving_users.user_id`,
  ])
  const counted = new Map(Object.entries(found ?? {}))
  const withTable = new Map<string, string>(Object.entries(countedWith))
  const rowsOf = (table = '') => position.compared[table] ?? 0
  const foundOf = (table: string) => rowsOf(table) + rowsOf(withTable.get(table))
  const wrong = known.find(([table]) => counted.get(table) !== foundOf(table))
  if (!wrong) return { ...position, stage: 'close', ...START }
  const [table] = wrong
  const reason = `the users' counters say ${counted.get(table)} rows of ${table}, and ${foundOf(table)} were found`
  return { ...position, stage: 'undo', ...START, reason }
}

function areEqual(page: readonly PortableRow[], copy: readonly PortableRow[]): boolean {
  return page.length === copy.length && page.every(({ row }, index) => row === copy[index]?.row)
}
