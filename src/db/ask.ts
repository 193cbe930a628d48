import { type BucketState, whereItIs } from './buckets.ts'
import type { Databases } from './databases.ts'
import { moving } from './link.ts'

/** How often buckets are followed from one database to another before the request gives up. */
const MAX_HOPS = 3

/** An answer about some buckets: which database gave it, and what it knew of them in the same transaction (`statesOf`). */
interface AnswerOfBuckets {
  name: string
  states: BucketState[]
}

type Ask<Answer> = (name: string, buckets: string[]) => Promise<Answer>

/**
 * Asks the databases that have these buckets, each once and all at the same time, and follows buckets that have moved. In
 * the end each bucket has been answered for by the database that had it. An answer may also tell of other buckets.
 *
 * @throws UNAVAILABLE
 */
export async function askFor<Answer extends AnswerOfBuckets>(
  databases: Databases,
  buckets: Iterable<string>,
  ask: Ask<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  let left = [...buckets]
  for (let hops = 0; left.length > 0; hops++) {
    if (hops > MAX_HOPS) throw moving()
    const wave = await askOnce(databases, left, ask)
    answers.push(...wave.map(({ answer }) => answer))
    left = wave.flatMap(({ moved }) => moved)
  }
  return answers
}

/** An answer of one database, and which buckets it was asked for that it has, and has not. */
export interface Answered<Answer> {
  answer: Answer
  present: string[]
  moved: string[]
}

/**
 * Asks the databases that are thought to have these buckets, each once and all at the same time. Where a bucket has moved
 * to is remembered.
 */
export function askOnce<Answer extends AnswerOfBuckets>(
  databases: Databases,
  buckets: readonly string[],
  ask: Ask<Answer>,
): Promise<Answered<Answer>[]> {
  const groups = Map.groupBy(buckets, (bucket) => databases.nameFor(bucket))
  return Promise.all(
    [...groups].map(async ([asked, group]) => {
      const answer = await ask(asked, group)
      const places = answer.states.map((state) => ({
        bucket: state.bucket,
        name: whereItIs([state], answer.name),
      }))
      const moved = places.filter(({ name }) => name !== answer.name)
      for (const { bucket, name } of moved) databases.remember(bucket, name)
      const present = places.filter(({ name }) => name === answer.name)
      return { answer, present: bucketsOf(present), moved: bucketsOf(moved) }
    }),
  )
}

function bucketsOf(places: { bucket: string }[]): string[] {
  return places.map(({ bucket }) => bucket)
}
