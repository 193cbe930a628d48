import { z } from 'zod'

/** What a process is to play. */
export const Orders = z.object({
  baseUrl: z.string(),
  token: z.string(),
  /** Where the device keeps what waits. */
  directory: z.string(),
  /** The process kills itself at this step; 0: at none. */
  killAt: z.number(),
  /** How many saves it writes. Their numbers go on from `first`. */
  writes: z.number(),
  first: z.number(),
  seed: z.number(),
})
export type Orders = z.infer<typeof Orders>

/** The slots that are played. No other test has them, because a recall that names them reaches all players of the server. */
export const slots = ['killed-auto', 'killed-manual'] as const

/** The bytes of a save: its number, and in a merge what it merges. */
export const Content = z.object({
  number: z.number(),
  author: z.enum(['killed', 'other']),
  merges: z.string().optional(),
})
export type Content = z.infer<typeof Content>

/** What a process prints, a line each, before it goes on. */
export const Told = z.discriminatedUnion('what', [
  /** It begins to write or to resolve. */
  z.object({ what: z.literal('writing'), slot: z.string(), number: z.number() }),
  /** The device has it. */
  z.object({ what: z.literal('kept'), slot: z.string(), number: z.number() }),
  /** The service has it. */
  z.object({ what: z.literal('saved'), slot: z.string(), revision: z.number(), label: z.string() }),
  z.object({
    what: z.literal('conflict'),
    slot: z.string(),
    current: z.object({ revision: z.number(), device: z.string() }).optional(),
  }),
  /** It kills itself. */
  z.object({ what: z.literal('killed'), step: z.string() }),
  /** It has ended by itself, after so many steps. */
  z.object({ what: z.literal('ended'), steps: z.number() }),
])
export type Told = z.infer<typeof Told>
