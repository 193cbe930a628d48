import { expect } from 'vitest'
import { type ErrorCode, errorCodes } from '../../../src/platform/errors.ts'
import type { Answer, RequestOptions } from '../../support/exchange.ts'
import { type Counts, limitOf, nothing, releasingOf, sum, used } from './counting.ts'
import { decided } from './records.ts'
import { bornAt, now, type Upload, type World } from './state.ts'

/** Sends a user's requests to the service, over bindings or over HTTP. */
export interface Requests {
  /** `path` is one under /v1. */
  request(user: string, method: string, path: string, options?: RequestOptions): Promise<Answer>
}

/** How an object comes to be: as the URL was signed; or otherwise, should storage let that happen. */
export type Manner = 'as signed' | 'with an encoding' | 'as a copy'

/** A call at which a mover is killed. */
export interface Death {
  call: number
  when: 'before' | 'after'
}

/** An act under a scope that was answered. */
export interface Acted {
  actor: string
  is_on_behalf: boolean
  status: number
  at: number
}

/** The first reading of an hour on behalf of a player. `hour` has the player, too. */
export interface Reading {
  hour: string
  at: number
}

/** The service as all acts need it: those that are no request need more than its answers. */
export interface Service extends Requests {
  /** Opens a socket to the user's inbox. */
  connect(user: string, after: number | undefined): Promise<Response>
  /** Puts an upload's object, unless there is one. Returns whether it did. */
  putObject(upload: Upload, content: string, manner: Manner): Promise<boolean>
  /** Puts an upload's only part. Returns its ETag; undefined when the upload takes no parts any more. */
  putPart(upload: Upload, content: string): Promise<string | undefined>
  /** How many times a partition has begun to move, or gone on. */
  readonly moves: { begun: number }
  /** The answered acts under a scope that leave an entry in the audit, by the id of the request. */
  readonly acted: ReadonlyMap<string, Acted>
  /** The hours in which somebody read on behalf of a player, apart by the erasures of the player before. */
  readonly reading: ReadonlyMap<string, Reading>
  runJob(): Promise<void>
  movePartition(partition: string, target: string, steps: number, death: Death | undefined): Promise<void>
}

/** An act of somebody: how it is done to the service, and what it changes in the model. `Way`: what it needs of a service. */
export interface Act<Way = Service> {
  /** What is done, for whoever reads of a failure. */
  says: string
  /** The Idempotency-Key that it comes with. */
  key?: string | undefined
  send: (service: Way) => Promise<Answer>
  /** Compares the answer with the story, and moves the story on. Throws when the two disagree. */
  judge: (world: World, answer: Answer) => void
  /** The answer of what has taken effect although a partition that moved made it answer 503. Undefined when it has not. */
  tookEffect?: (world: World) => Promise<Answer | undefined>
}

/** The answer of what is no request. */
export const unspoken: Answer = { status: 204, headers: new Headers(), body: undefined, text: '' }

/**
 * The answer of an act that took effect before anybody heard of it, because the service was killed. It agrees with every
 * success, and with no refusal.
 */
export const lost: Answer = { status: 0, headers: new Headers(), body: undefined, text: '' }

/** A kind of act. Whatever has to be chosen is drawn, so that the same draws in the same story come to the same act. */
export interface Command {
  /** The operation of the description that it calls, or, for what is no request, a word of its own. */
  operation: string
  /** Whether it may change anything. */
  writes: boolean
  /** Whether it tells of all databases or all users, or changes them: it is not done at the same time as another. */
  alone?: true
  /** Undefined when there is nothing to do it to. */
  draw: (world: World, draw: Draw) => Act | undefined
}

/** A command that draws somebody, and what they do it to, and nothing else. */
export const commandOn = (
  operation: string,
  writes: boolean,
  target: (world: World, draw: Draw) => { user: string; id: string },
  act: (user: string, id: string) => Act,
): Command => ({
  operation,
  writes,
  draw: (world, draw) => {
    const { user, id } = target(world, draw)
    return act(user, id)
  },
})

/** As many numbers as any command needs to be drawn. */
export const DRAWN = 48

/** Makes choices out of whole numbers, in turn; smaller ones are simpler. */
export class Draw {
  readonly #numbers: readonly number[]
  #at = 0

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  /** From 0 up to but not including `end`. */
  below(end: number): number {
    const number = this.#numbers[this.#at++]
    if (number === undefined) throw new Error('more is chosen than was drawn')
    return number % end
  }

  of<Value>(values: readonly Value[]): Value | undefined {
    return values[this.below(Math.max(1, values.length))]
  }

  one<Value>(first: Value, ...others: Value[]): Value {
    return [first, ...others][this.below(others.length + 1)] ?? first
  }

  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent
  }
}

/** The answer to something that succeeds. */
export function agrees(answer: Answer, status: number, body?: unknown): void {
  if (answer === lost) return
  expect({ status: answer.status, body: withoutKeys(answer.body) }).toEqual({
    status,
    body: decided(body, answer.body),
  })
}

/** A body with the path of each preview in the place of its URL, which has a key and perhaps a signature. */
function withoutKeys(body: unknown): unknown {
  const text = JSON.stringify(body)
  if (!text?.includes('"preview_url":"')) return body
  return JSON.parse(text, (name, value: unknown) => {
    if (name !== 'preview_url' || typeof value !== 'string') return value
    const { pathname, search } = new URL(value)
    const [, path] = /^(\/pictures\/assets\/[^/]+)\/[0-9a-f-]{36}$/.exec(pathname) ?? []
    const isSigned = /^\?expires=\d+&signature=[\w-]+$/.test(search)
    return search === '' || isSigned ? path + (isSigned ? ' with a signature' : '') : value
  })
}

/** The answer to something that is refused with one of these codes. */
export function refused(answer: Answer, ...codes: ErrorCode[]): void {
  const expected = codes.map((code) => `${errorCodes[code][0]} ${code}`)
  expect(expected, `the answer was ${answer.status} ${answer.text}`).toContain(
    `${answer.status} ${codeOf(answer)}`,
  )
}

export function codeOf({ status, body }: Answer): string | undefined {
  if (status < 400 || typeof body !== 'object' || body === null || !('code' in body)) return undefined
  return String(body.code)
}

/** What limits say to an addition: the codes that it must be refused with, or may be. */
export interface Room {
  must: ErrorCode[]
  may: ErrorCode[]
}

const numbered = ['items', 'assets', 'shown', 'versions', 'uploads', 'favorites', 'mutes'] as const

/** Whether there is room for more of a user's: for sure not, or perhaps not while something is still to be released. */
export function room(world: World, user_id: string, more: Partial<Counts>): Room {
  const { limits } = world
  const added = { ...nothing, ...more }
  const least = sum(used(world, user_id), added)
  const most = sum(least, releasingOf(world, user_id))
  const limit: Counts = {
    bytes: limitOf(world, user_id),
    items: limits.MAX_ITEMS,
    assets: limits.MAX_ASSETS,
    shown: limits.MAX_PUBLIC_ASSETS,
    versions: limits.MAX_VERSIONS,
    uploads: limits.MAX_OPEN_UPLOADS,
    favorites: limits.MAX_FAVORITES,
    mutes: limits.MAX_MUTES,
  }
  const beyond = (count: Counts): ErrorCode[] => [
    ...(added.bytes > 0 && count.bytes > limit.bytes ? (['QUOTA_EXCEEDED'] as const) : []),
    ...(numbered.some((of) => added[of] > 0 && count[of] > limit[of]) ? (['LIMIT_REACHED'] as const) : []),
  ]
  return { must: beyond(least), may: beyond(most) }
}

/** Whether the answer is one of the refusals that must, or may, be given for want of room. */
export function refusedForWantOf({ must, may }: Room, answer: Answer): boolean {
  if (must.length > 0) {
    refused(answer, ...new Set([...must, ...may]))
    return true
  }
  return may.some((code) => code === codeOf(answer))
}

const REMEMBERED = 24 * 60 * 60

/** A creation that may come with an Idempotency-Key. */
interface Creation {
  caller: string
  key: string | undefined
  /** What tells the request from another. */
  request: unknown
  /** The same request again: what it answers of what the first one made. */
  again: (made: string) => void
  /** The first one: the id of what was made, or nothing. */
  make: () => string | undefined
}

export function creates(world: World, answer: Answer, { caller, key, request, again, make }: Creation): void {
  const kept = keptFor(world, caller, key)
  if (kept) {
    if (kept.request === JSON.stringify(request)) again(kept.made)
    else refused(answer, 'IDEMPOTENCY_KEY_REUSED')
    return
  }
  const made = make()
  if (key !== undefined && made !== undefined)
    world.keys.set(`${caller} ${key}`, { request: JSON.stringify(request), made, at: bornAt(world, caller) })
}

/** What a key has made, and with which request, if it still holds. */
export function keptFor(world: World, caller: string, key: string | undefined) {
  const kept = key === undefined ? undefined : world.keys.get(`${caller} ${key}`)
  return kept && kept.at > now(world) - REMEMBERED ? kept : undefined
}

/** Sometimes a key, of few, so that they meet. */
export function drawKey(draw: Draw): string | undefined {
  return draw.chance(25) ? `key-${draw.below(3)}` : undefined
}

/** The header that brings a key. */
export function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'Idempotency-Key': key }
}

/** The id in an answer, for what only the service can know: it has to be new. */
export function newIdIn(world: World, text: unknown): string {
  const id = String(text)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const known of [world.items, world.shares, world.uploads, world.assets])
    expect(known.has(id), `${id} is not new`).toBe(false)
  expect(world.gone).not.toContain(id)
  return id
}

/** A member of an answer's body, however deep; undefined when it is not there. */
export function member(answer: Answer, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([name]) => name === key)?.[1]
        : undefined,
    answer.body,
  )
}
