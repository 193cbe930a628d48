import type { Database, WriteCondition } from '../db/database.ts'
import { LinkedMoved } from '../db/session.ts'

interface Writes<Made> {
  /** Writes in one batch, under the condition that both partitions are open in its database. */
  near: (condition: WriteCondition) => Promise<Made>
  /** Writes in two databases. */
  far: () => Promise<Made>
}

/**
 * Writes rows of two users: `near` when both homes are expected in one database, `far` otherwise, and when `near` has found
 * the other home elsewhere.
 */
export async function nearOrFar<Made>(
  home: Database,
  otherHome: Database,
  { near, far }: Writes<Made>,
): Promise<Made> {
  if (home.name !== otherHome.name) return far()
  try {
    return await near({ alsoOpen: otherHome })
  } catch (error) {
    if (error instanceof LinkedMoved) return far()
    throw error
  }
}
