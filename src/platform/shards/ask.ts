import { moving } from '../db/session.ts'
import { pooled } from '../lib/pool.ts'
import type { Databases } from './databases.ts'
import { type PartitionState, whereItIs } from './partitions.ts'

/*
 * Questions about some partitions, which go to the databases that have them. Lists over rows of many partitions are merged in
 * pages.ts, and one partition is followed by its `PartitionRoute`.
 */

/** How many waves of questions follow partitions that have moved, the first one included. */
const MAX_WAVES = 4

/** An answer about some partitions: which database gave it, and what it knew of them in the same transaction (`statesOf`). */
interface AnswerOfPartitions {
  name: string
  states: PartitionState[]
}

type Ask<Answer> = (name: string, partitions: string[]) => Promise<Answer>

/**
 * Asks the databases that have these partitions, each once and several at the same time, and follows partitions that have moved. In
 * the end each partition has been answered for by the database that had it. An answer may also tell of other partitions.
 *
 * @throws UNAVAILABLE
 */
export async function askFor<Answer extends AnswerOfPartitions>(
  databases: Databases,
  partitions: Iterable<string>,
  ask: Ask<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  let left = [...partitions]
  for (let waves = 0; left.length > 0; waves++) {
    if (waves === MAX_WAVES) throw moving()
    const wave = await askOnce(databases, left, ask)
    answers.push(...wave.map(({ answer }) => answer))
    left = wave.flatMap(({ moved }) => moved)
  }
  return answers
}

/** An answer of one database, and which partitions it was asked for that it has, and has not. */
export interface Answered<Answer> {
  answer: Answer
  present: string[]
  moved: string[]
}

/**
 * Asks the databases that are thought to have these partitions, each once and several at the same time. Where a partition has moved
 * to is remembered.
 */
export function askOnce<Answer extends AnswerOfPartitions>(
  databases: Databases,
  partitions: readonly string[],
  ask: Ask<Answer>,
): Promise<Answered<Answer>[]> {
  const groups = Map.groupBy(partitions, (partition) => databases.nameFor(partition))
  return pooled(groups, async ([asked, group]) => {
    const answer = await ask(asked, group)
    const places = placesIn(databases, answer)
    const moved = places.filter(({ name }) => name !== answer.name)
    const present = places.filter(({ name }) => name === answer.name)
    return { answer, present: partitionsOf(present), moved: partitionsOf(moved) }
  })
}

/** Where an answer says that its partitions are. What has moved is remembered. */
export function placesIn(
  databases: Databases,
  answer: AnswerOfPartitions,
): { partition: string; name: string }[] {
  const places = answer.states.map((state) => ({
    partition: state.partition,
    name: whereItIs([state], answer.name),
  }))
  for (const { partition, name } of places) if (name !== answer.name) databases.remember(partition, name)
  return places
}

function partitionsOf(places: { partition: string }[]): string[] {
  return places.map(({ partition }) => partition)
}
