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
  'x-description': 'A JSON object of the game’s own, of at most 4 KiB in JSON',
  example: { gift_id: 'golden-sword' },
})

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Why an object can't be kept; undefined when it can. */
export function gameDataProblem(data: object): string | undefined {
  const { length } = new TextEncoder().encode(JSON.stringify(data))
  return length <= MAX_BYTES ? undefined : `must have at most ${MAX_BYTES} bytes in JSON; this has ${length}.`
}
