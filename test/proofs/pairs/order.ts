import type { Answer } from '../../support/exchange.ts'
import type { Act } from '../model/act.ts'
import { CHECKED_TYPE } from '../model/content.ts'
import { settled } from '../model/records.ts'
import { copyOf, type World } from '../model/state.ts'

/** An act that was done, with the answer that it had. */
export interface Done {
  act: Act
  answer: Answer
}

/** In every order there is. */
export function permutations<Value>(values: Value[]): Value[][] {
  if (values.length < 2) return [values]
  return values.flatMap((first, at) =>
    permutations(values.filter((_, index) => index !== at)).map((rest) => [first, ...rest]),
  )
}

/**
 * The world as it is after what was done at the same time, as if it had been done one after the other: in an order in
 * which all the answers are right, and `check` finds nothing wrong. Throws what is wrong with each order.
 */
export async function worldAfter(
  before: World,
  orders: Done[][],
  afterwards: Done[],
  check: (world: World) => Promise<void>,
): Promise<World> {
  const wrong: string[] = []
  for (const order of orders.flatMap(settledOrders)) {
    const world = { ...copyOf(before), isBusy: true }
    try {
      for (const { act, answer } of order) {
        act.judge(world, answer)
        world.now_ms = before.now_ms
      }
      world.isBusy = false
      for (const { act, answer } of afterwards) act.judge(world, answer)
      await check(world)
      return world
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error)
      wrong.push(`not as if ${order.map(({ act }) => act.says).join('; then ')},\n  because ${because}`)
    }
  }
  throw new Error(wrong.join('\n'))
}

/**
 * An order with its answers as the story has them. A file whose content is being looked at shows as "processing" until the
 * completion has ended, then as "pending" again; one of a type that is checked may also stay so.
 */
function settledOrders([first, ...rest]: Done[]): Done[][] {
  if (!first) return [[]]
  const answers = first.answer.text.includes('"processing"')
    ? [
        settled(first.answer, ({ mime_type }) => mime_type !== CHECKED_TYPE),
        settled(first.answer, () => true),
      ]
    : [first.answer]
  const others = settledOrders(rest)
  return answers.flatMap((answer) => others.map((order) => [{ ...first, answer }, ...order]))
}
