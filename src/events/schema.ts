import { z } from '@hono/zod-openapi'
import { integer } from '../lib/integer.ts'

/** The parameters of the list: how many events of each database it shows at most, of those that wait and of those that are parked. */
export const ListEvents = z.object({ limit: integer(1, 500).default(20) })

/** An event's id is a UUID. One that is no UUID is unknown, so it only has to have an end. */
const MAX_ID_LENGTH = 100

/** Which events: one, or all that are parked. */
export const NamedEvents = z
  .object({
    id: z
      .string('must be the id of an event')
      .min(1, 'must not be empty')
      .max(MAX_ID_LENGTH, `must have at most ${MAX_ID_LENGTH} characters`)
      .optional(),
    all: z.literal(true, 'must be true').optional(),
  })
  .transform(({ id, all }, context): { id: string } | { all: true } => {
    const where = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (id !== undefined && all === undefined) return { id }
    if (id === undefined && all !== undefined) return { all }
    if (all !== undefined) where('all', 'must not come with id: one event, or all that are parked')
    else where('id', 'is missing: name one event by its id, or set all to true for all that are parked')
    return z.NEVER
  })

export const Overview = z.looseObject({ is_configured: z.boolean() })

export const Changed = z.object({ events: z.int(), has_more: z.boolean() })
