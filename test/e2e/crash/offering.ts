import type { Actor } from './actor.ts'
import type { Step } from './step.ts'

/** What an actor can do at this moment, by the kind of step; undefined when there is nothing to do it to. */
export type Offers = Record<string, (actor: Actor) => Step | undefined>

export const step = (kind: string, act: Step['act']): Step => ({ kind, act })

/** What is the same each time that a creating request is sent. */
export const key = (actor: Actor) => `key-${actor.word()}`

/** Makes something of one of the things, if there is one. */
export function withOne<Thing, Made>(
  actor: Actor,
  things: Thing[],
  make: (thing: Thing) => Made,
): Made | undefined {
  const thing = actor.pick(things)
  return thing === undefined ? undefined : make(thing)
}
