import type { Dice } from './dice.ts'
import type { Value } from './values.ts'

/** What the cursors of a list bear as its name, when nothing is asked for beside. */
const lists: Record<string, string> = {
  listFiles: 'files   name asc',
  listTrash: 'trash',
  listSharedWithMe: 'shares',
  listAssets: 'assets  false',
  browseAssets: 'public ',
}
const keys: Value[] = ['', 'a', 0, 1.5, 2 ** 53 - 1, null, {}, [], 'a\u0000b']

/** A cursor that the service never gave out, for a list that it has. */
export function forged(dice: Dice, operation: string): string {
  const cursor = JSON.stringify([lists[operation] ?? '', dice.pick(keys), dice.pick(keys)])
  return btoa(cursor).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
