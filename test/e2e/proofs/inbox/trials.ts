import { createStudio } from '#client/studio'
import { developmentToken } from '../../../../scripts/development.ts'
import type { Game } from './game.ts'
import { type Open, survive } from './trial.ts'

export interface Trials {
  /** The client and the runtime, which tell its users from others. */
  name: string
  /** The server's address. */
  origin: string
  cuts: number
  /** So many inboxes share the cuts: one user may make only so many requests a minute. */
  users: number
  seed: number
  /** Whether one inbox misses more events than are kept, too. */
  isLong: boolean
  open: Open
}

/** Cuts several inboxes at the same time. Returns what each has met. */
export async function surviveAll({
  name,
  origin,
  cuts,
  users,
  seed,
  isLong,
  open,
}: Trials): Promise<string[]> {
  const token = await developmentToken('social', { scope: 'notifications:publish announcements:publish' })
  const social = createStudio<Game>({ baseUrl: origin, token })
  return Promise.all(
    Array.from({ length: users }, (_, index) =>
      survive({
        user: `ada-${name}-${seed}-${index}`,
        origin,
        social,
        cuts: Math.ceil(cuts / users),
        pace_ms: users * 12, // a service may publish 100 a second
        seed: seed + index * 7_919,
        isActive: index % 2 === 1,
        isAnnounced: index === 0,
        overflow: isLong && index === 0 ? 50 : 0,
        open,
      }),
    ),
  )
}
