import { expect } from 'vitest'
import { tokenFor } from '../../support/identities.ts'
import { newUserId } from '../../support/ids.ts'
import { User } from '../../support/user.ts'
import { Dice } from '../fuzz/dice.ts'
import type { Asset, Content, World } from './solver.ts'

/** The platforms that uploads and requests name. */
export const PLATFORMS = ['pc', 'web', 'quest_2'] as const
/** The builds of clients. */
export const BUILDS = [5, 20, 35] as const
export const CHANNELS = ['live', 'beta', 'qa-1'] as const

/** What others must notice of an act on an asset: nothing at all, a change, or either. */
export type Notice = 'nothing' | 'a change' | 'either'

/** An act that took effect. */
export interface Effect {
  asset: Asset
  /** What others notice. */
  notice: Notice
  /** What its owner notices; by default a change, unless others may notice either. */
  ofOwner?: Notice
}

/** What a run has met: how often each kind of act and of answer came. */
export class Met {
  readonly counts = new Map<string, number>()

  note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }
}

/** One history: its people, what is there, and what was done. */
export class History {
  readonly world: World = new Map()
  readonly dice: Dice
  /** The kind of the act that is done. */
  act = ''
  readonly met: Met
  /** What was done, for whoever reads of a failure. */
  readonly said: string[] = []
  /** The object in which each content is. */
  readonly objects = new Map<Content, string>()
  readonly people: readonly User[]
  readonly operator: User
  #contents = 0
  #names = 0

  private constructor(seed: number, met: Met, people: readonly User[], operator: User) {
    this.dice = new Dice(seed)
    this.met = met
    this.people = people
    this.operator = operator
  }

  /** Three players of whom two have assets, and a moderator. */
  static async begin(seed: number, met: Met): Promise<History> {
    const user = async (claims = {}) => {
      const id = newUserId()
      return new User(id, await tokenFor(id, claims))
    }
    const people = [await user(), await user(), await user()]
    return new History(seed, met, people, await user({ scope: 'content:moderate' }))
  }

  /** A user by their id. */
  person(id: string): User {
    const person = this.people.find((one) => one.id === id)
    if (!person) throw new Error(`nobody is ${id}`)
    return person
  }

  /** How the history calls somebody. */
  nameOf(id: string): string {
    return ['ann', 'bob', 'eve'][this.people.findIndex((one) => one.id === id)] ?? id
  }

  get assets(): Asset[] {
    return [...this.world.values()]
  }

  newContent(): Content {
    return ++this.#contents
  }

  newName(): string {
    return `asset ${++this.#names}`
  }

  /** Every key that there is or was, one that never was, and none. */
  keysOf(asset: Asset): (string | undefined)[] {
    const keys = [...asset.channels.values()].flatMap(({ key }) => key ?? [])
    return [undefined, ...keys, ...asset.old_keys.slice(-1), 'A'.repeat(32)]
  }

  say(text: string): void {
    this.said.push(text)
  }

  /** Fails with what was done so far. */
  equal(actual: unknown, expected: unknown, what: string): void {
    // Vitest's comparison takes most of a history's time.
    if (JSON.stringify(actual) === JSON.stringify(expected)) return
    expect(actual, `${what}\nafter:\n${this.said.join('\n')}`).toEqual(expected)
  }
}
