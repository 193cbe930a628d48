import { moving } from '../db/session.ts'
import { pooled } from '../lib/pool.ts'
import type { Databases } from './databases.ts'
import { locationFrom, type PartitionState } from './partitions.ts'

/*
 * Questions about some partitions, each sent to the databases that have them. pages.ts merges lists over rows of many
 * partitions; a `PartitionRoute` follows one partition.
 */

/** How many waves of questions follow partitions that have moved, the first one included. */
const MAX_WAVES = 4

/** The answer of the database `name`, with the states of partitions that it read in the same transaction (`statesOf`). */
interface AnswerOfPartitions {
  name: string
  states: PartitionState[]
}

/** Asks the database `name` about partitions. */
type Ask<Answer> = (name: string, partitions: string[]) => Promise<Answer>

/**
 * Asks the databases that have these partitions, each once and several at the same time, and follows partitions that have
 * moved. In the end each partition has an answer of the database that had it. An answer may cover other partitions, too.
 *
 * @throws UNAVAILABLE
 */
export async function askFor<Answer extends AnswerOfPartitions>(
  databases: Databases,
  partitions: Iterable<string>,
  ask: Ask<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  let unanswered = [...partitions]
  for (let waves = 0; unanswered.length > 0; waves++) {
    if (waves === MAX_WAVES) throw moving()
    const wave = await askOnce(databases, unanswered, ask)
    answers.push(...wave.map(({ answer }) => answer))
    unanswered = wave.flatMap(({ moved }) => moved)
  }
  return answers
}

/** An answer of one database. Of the partitions that it was asked for, it has those in `present`; those in `moved` are elsewhere. */
export interface Answered<Answer> {
  answer: Answer
  present: string[]
  moved: string[]
}

/**
 * Asks the databases where these partitions are expected, each once and several at the same time. Remembers the locations of
 * partitions that have moved.
 */
export function askOnce<Answer extends AnswerOfPartitions>(
  databases: Databases,
  partitions: readonly string[],
  ask: Ask<Answer>,
): Promise<Answered<Answer>[]> {
  const groups = Map.groupBy(partitions, (partition) => databases.nameFor(partition))
  return pooled(groups, async ([asked, group]) => {
    const answer = await ask(asked, group)
    const locations = locationsIn(databases, answer)
    const moved = locations.filter(({ name }) => name !== answer.name)
    const present = locations.filter(({ name }) => name === answer.name)
    return { answer, present: partitionsOf(present), moved: partitionsOf(moved) }
  })
}

/** A partition, and the name of the database that has it. */
interface Location {
  partition: string
  name: string
}

/** The locations of an answer's partitions. Remembers those of partitions that have moved. */
export function locationsIn(databases: Databases, { name, states }: AnswerOfPartitions): Location[] {
  const locations = states.map((state) => ({
    partition: state.partition,
    name: locationFrom([state], name),
  }))
  for (const { partition, name: location } of locations)
    if (location !== name) databases.remember(partition, location)
  return locations
}

function partitionsOf(locations: readonly Location[]): string[] {
  return locations.map(({ partition }) => partition)
}
