import { z } from '@hono/zod-openapi'
import { integer } from '../lib/integer.ts'

/** The parameters of the list: how many events of each database it shows at most, of those that wait and of those that are parked. */
export const ListEvents = z.object({ limit: integer(1, 500).default(20) })

/** Which events: one, or all that are parked. */
export const NamedEvents = z.union([z.object({ id: z.string() }), z.object({ all: z.literal(true) })])

export const Overview = z.looseObject({ is_configured: z.boolean() })

export const Changed = z.object({ events: z.int(), has_more: z.boolean() })
