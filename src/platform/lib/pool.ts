/** How many connections an invocation of a Worker keeps open at once (Workers, "Limits"). A further call waits for one. */
export const CONNECTIONS = 6

/**
 * Asks about each item, about as many at a time as there are connections. So the timeout of a call measures that call, and
 * not how long it waits for a connection. Returns the answers in the order of the items. After a failure it begins no other
 * item.
 *
 * @throws the first error
 */
export async function pooled<Item, Answer>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const left = [...items].entries()
  const answers: Answer[] = []
  let hasFailed = false
  const askOneByOne = async () => {
    for (const [index, item] of left) {
      if (hasFailed) return
      try {
        answers[index] = await ask(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, askOneByOne))
  return answers
}
