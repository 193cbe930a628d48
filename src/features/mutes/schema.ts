import { z } from '@hono/zod-openapi'
import { KnownUserId, page, Timestamp } from '../../platform/http/fields.ts'

/** A muted user (docs/conformance.md#muted-players). */
const Mute = z
  .object({ user_id: KnownUserId, created_at: Timestamp })
  .openapi('Mute', { example: { user_id: 'bob', created_at: 1_795_257_600 } })
export type Mute = z.output<typeof Mute>

/** The answer to a list of muted users. */
export const MutePage = page({ mutes: z.array(Mute) }).openapi('MutePage')
