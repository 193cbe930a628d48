import type { Database, WriteCondition } from '../db/database.ts'
import { LinkedMoved } from '../db/session.ts'

interface Ways<Made> {
  near: (condition: WriteCondition) => Promise<Made>
  far: () => Promise<Made>
}

/**
 * Does what concerns two users. `near` does it in one batch, when both are thought to be in one database: the condition
 * refuses the batch unless they are. `far` does it in two databases, also after such a refusal.
 */
export async function nearOrFar<Made>(
  db: Database,
  other: Database,
  { near, far }: Ways<Made>,
): Promise<Made> {
  if (db.name !== other.name) return far()
  try {
    return await near({ alsoOpen: other })
  } catch (error) {
    if (error instanceof LinkedMoved) return far()
    throw error
  }
}
