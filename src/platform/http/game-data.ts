import { z } from '@hono/zod-openapi'
import { isLosslessNumber, type LosslessNumber } from 'lossless-json'
import { KIB } from '../lib/units.ts'

/** A type of the game's own: parts with dots between them. */
export const OWN_TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/
export const MAX_TYPE_LENGTH = 64

/** Whether a type is one of the game's own. Names without a dot belong to the service. */
export function isOwnType(type: string): boolean {
  return type.length <= MAX_TYPE_LENGTH && OWN_TYPE.test(type)
}

/** The type of a message of the game's own. */
export const OwnType = z
  .string()
  .refine(isOwnType, 'must be a type of the game’s own, with a dot, as in shop.gift')
  .openapi({
    'x-name': 'OwnType',
    'x-description':
      'A type of the game’s own: two or more parts of `a-z`, `0-9` and `_` with dots between them, each beginning with a letter',
    maxLength: MAX_TYPE_LENGTH,
    pattern: OWN_TYPE.source,
    example: 'shop.gift',
  })

/** The most bytes of a JSON object of the game's own. */
const MAX_BYTES = 4 * KIB

/** The most levels of a JSON object of the game's own, itself included: readers of JSON in game engines take as many by default. */
export const MAX_LEVELS = 64
export const TOO_DEEP = `must be nested at most ${MAX_LEVELS} levels deep`

/** A JSON object of the game's own. The service stores and returns it, and reads nothing in it. */
export const GameData = z.custom<object>(isObject, 'must be a JSON object').openapi({
  'x-name': 'GameData',
  type: 'object',
  additionalProperties: true,
  'x-description': `A JSON object of the game’s own, of at most 4 KiB in JSON and ${MAX_LEVELS} levels. Its numbers are doubles: send an integer that would come back with other digits as a string`,
  example: { gift_id: 'golden-sword' },
})

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && isPlain(value)
}

/** Whether an object is one of JSON: a Worker that calls by RPC can send others. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Why an object can't be kept; undefined when it can. */
export function gameDataProblem(data: object): string | undefined {
  const tooLarge = `must have at most ${MAX_BYTES} bytes in JSON`
  // Level by level, because a Worker's object may be nested deeper than the stack. Each value has a byte at least.
  let level: unknown[] = [data]
  let count = 1
  for (let levels = 1; level.length > 0; levels++) {
    const next: unknown[] = []
    for (const value of level) {
      if (isLosslessNumber(value)) return unheld(value)
      if (!isJson(value)) return 'must have only values of JSON. A number must not be beyond all doubles.'
      if (typeof value !== 'object' || value === null) continue
      if (levels > MAX_LEVELS) return `${TOO_DEEP}.`
      if (Array.isArray(value) && value.length > MAX_BYTES) return `${tooLarge}.`
      // JSON leaves out a member that is undefined.
      for (const member of Array.isArray(value) ? value : Object.values(value).filter(isDefined))
        next.push(member)
      if (count + next.length > MAX_BYTES) return `${tooLarge}.`
    }
    count += next.length
    level = next
  }
  const { length } = new TextEncoder().encode(JSON.stringify(data))
  return length <= MAX_BYTES ? undefined : `${tooLarge}; this has ${length}.`
}

const isDefined = (value: unknown) => value !== undefined

function unheld({ value }: LosslessNumber): string {
  const shown = value.length <= 40 ? value : `${value.slice(0, 40)}…`
  return `must have integers that come back as they are: send ${shown} as a string.`
}

/** Whether a value is one of JSON, apart from what it contains. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  return Array.isArray(value) || isObject(value)
}
