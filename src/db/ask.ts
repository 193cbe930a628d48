import { type BucketState, whereItIs } from './buckets.ts'
import type { Databases } from './databases.ts'
import { moving } from './link.ts'

/*
 * Questions about some buckets, which go to the databases that have them. Lists over rows of many buckets are merged in
 * merge.ts, and one bucket is followed by its `Database`.
 */

/** How many waves of questions follow buckets that have moved, the first one included. */
const MAX_WAVES = 4

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
  for (let waves = 0; left.length > 0; waves++) {
    if (waves === MAX_WAVES) throw moving()
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
      const places = placesIn(databases, answer)
      const moved = places.filter(({ name }) => name !== answer.name)
      const present = places.filter(({ name }) => name === answer.name)
      return { answer, present: bucketsOf(present), moved: bucketsOf(moved) }
    }),
  )
}

/** Where an answer says that its buckets are. What has moved is remembered. */
export function placesIn(databases: Databases, answer: AnswerOfBuckets): { bucket: string; name: string }[] {
  const places = answer.states.map((state) => ({
    bucket: state.bucket,
    name: whereItIs([state], answer.name),
  }))
  for (const { bucket, name } of places) if (name !== answer.name) databases.remember(bucket, name)
  return places
}

function bucketsOf(places: { bucket: string }[]): string[] {
  return places.map(({ bucket }) => bucket)
}
