import { type Group, isAtEnd, pagesOf, tablesAt, upToFirstCut } from './groups.ts'
import { type Move, type MovePosition, START, takeStep } from './moves.ts'
import { copyOf } from './rows.ts'

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
