import { developmentToken } from '../../../scripts/development.ts'
import { seeded } from '../../support/seeded.ts'
import type { Act } from './act.ts'
import { anything, prepared } from './habits.ts'
import type { Publisher } from './inbox-acts.ts'
import { Ledger } from './ledger.ts'
import { Listener } from './listener.ts'
import { Wire } from './wire.ts'
import type { World } from './world.ts'

/** To do one kind of thing, together with others, at a moment that somebody else chooses. */
export interface Order {
  kind: string
  /** Called when everything has been prepared. */
  isReady: () => void
  /** Kept when the moment has come. */
  moment: Promise<void>
}

/**
 * Somebody who uses the service, one request at a time, and writes down each answer. When the server is killed, at most
 * one of their requests has no answer.
 */
export class Actor implements Publisher {
  readonly world: World
  readonly name: string
  /** Whether they may be erased; nobody shares with those who may, because that would end with them. */
  readonly isMortal: boolean
  readonly operatorToken: string
  ledger = new Ledger()
  wire: Wire
  listener: Listener
  /** The request that a kill has cut off. */
  pending: Act | undefined
  /** The last act that made something, with the id of what it made. */
  made: { act: Act; id: string } | undefined
  order: Order | undefined
  readonly #random: () => number
  #words = 0
  #lives = 1

  private constructor(world: World, name: string, isMortal: boolean, seed: number, tokens: [string, string]) {
    const [token, operatorToken] = tokens
    this.world = world
    this.name = name
    this.isMortal = isMortal
    this.operatorToken = operatorToken
    this.wire = new Wire(`${name}-1`, token, world.power, world.journal)
    this.listener = new Listener(world.power, token)
    this.#random = seeded(seed)
  }

  static async join(world: World, name: string, isMortal: boolean, seed: number): Promise<Actor> {
    const scope = 'notifications:publish users:erase'
    const tokens = [developmentToken(`${name}-1`), developmentToken(`operator-${name}`, { scope })] as const
    return new Actor(world, name, isMortal, seed, await Promise.all(tokens))
  }

  /** Goes on as another user, since this one has been erased. */
  async beginAnew(): Promise<void> {
    this.world.bury(this)
    const user = `${this.name}-${++this.#lives}`
    this.listener.leave()
    const token = await developmentToken(user)
    this.wire = new Wire(user, token, this.world.power, this.world.journal)
    this.ledger = new Ledger()
    this.listener = new Listener(this.world.power, token)
    this.made = undefined
    if (!this.world.power.isOff) this.listener.connect()
  }

  word = (): string => `${this.name}-${++this.#words}`

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  pick = <Thing>(things: Thing[]): Thing | undefined => things[this.below(things.length)]

  /** Up to `most` of the things. */
  some<Thing>(things: Thing[], most: number): Thing[] {
    return things.filter(() => this.#random() < most / things.length).slice(0, most)
  }

  /** One of several words, some more often than others. */
  weighted(words: [word: string, weight: number][]): string {
    let left = this.#random() * words.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [word, weight] of words) {
      left -= weight
      if (left < 0) return word
    }
    return ''
  }

  /** Does one thing after another until the server is killed. */
  async work(): Promise<void> {
    while (!this.wire.power.isOff) {
      const { order } = this
      if (order) await this.#obey(order)
      else {
        const act = await anything(this)
        if (act) await this.perform(act)
      }
    }
  }

  async #obey({ kind, isReady, moment }: Order): Promise<void> {
    const act = await prepared(this, kind)
    this.order = undefined
    isReady()
    await moment
    if (act && !this.wire.power.isOff) await this.perform(act)
  }

  /** Sends an act's request, and writes down what comes of it: that is the moment at which the service has promised it. */
  async perform(act: Act): Promise<void> {
    this.pending = act
    const began = performance.now()
    const answer = await this.world.blaming(this, act, () => this.wire.send(act.request))
    if (!answer) return
    this.pending = undefined
    this.world.took(act.kind, performance.now() - began)
    await this.world.blaming(this, act, () => act.settle(answer, 'first'))
    const id = answer.status === 201 ? idOf(answer.body) : undefined
    if (id !== undefined && act.kind !== 'branch') this.made = { act, id }
  }
}

/** The id of what an answer says was made. */
export function idOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string'
    ? body.id
    : undefined
}
