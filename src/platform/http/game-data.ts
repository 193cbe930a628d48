import { z } from '@hono/zod-openapi'
import { KIB } from '../lib/byte-units.ts'

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

/** A JSON object of the game's own. The service stores and returns it, and reads nothing in it. */
export const GameData = z.custom<object>(isObject, 'must be a JSON object').openapi({
  'x-name': 'GameData',
  type: 'object',
  additionalProperties: true,
  'x-description':
    'A JSON object of the game’s own, of at most 4 KiB in JSON. Its numbers are doubles: send larger integers as text',
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
  // A loop, because an object may be nested deeper than the stack. Each value has a byte at least.
  const values: unknown[] = [data]
  for (let at = 0; at < values.length; at++) {
    if (values.length > MAX_BYTES) return `${tooLarge}.`
    const value = values[at]
    if (!isJson(value)) return 'must have only values of JSON. A number must not be beyond all doubles.'
    if (Array.isArray(value)) {
      if (value.length > MAX_BYTES) return `${tooLarge}.`
      for (const element of value) values.push(element)
    }
    // JSON leaves out a member that is undefined.
    else if (isObject(value))
      for (const member of Object.values(value)) if (member !== undefined) values.push(member)
  }
  const { length } = new TextEncoder().encode(JSON.stringify(data))
  return length <= MAX_BYTES ? undefined : `${tooLarge}; this has ${length}.`
}

/** Whether a value is one of JSON, apart from what it contains. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  return Array.isArray(value) || isObject(value)
}
