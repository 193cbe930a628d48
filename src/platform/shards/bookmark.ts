/** X-D1-Bookmark: what a client has seen of the history of a database, and when it has written last (docs/architecture.md#near-the-player). */
import { FIRST } from './map.ts'

/** A position in the history of a database (a D1 bookmark). */
export interface Bookmark {
  /** The name of the database. */
  database: string
  position: string
  /** When the client has written last, in Unix seconds. Undefined when that is long ago. */
  written_at?: number | undefined
}

/** How long bookmarks tell the time of a write, in seconds. Nothing that is read near may be behind by more. */
export const WRITE_TOLD = 15

/** The database unless it is the first, a colon; the position; a dot and the time of the last write in hexadecimal, while it is young. */
const TEXT = /^(?:(DB_\d+):)?([0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32})(?:\.([0-9a-f]{8}))?$/

/** Reads a bookmark. Undefined for text that the service did not issue. */
export function parseBookmark(text: string): Bookmark | undefined {
  const [, database = FIRST, position, written] = TEXT.exec(text) ?? []
  if (position === undefined) return undefined
  return { database, position, written_at: written === undefined ? undefined : Number.parseInt(written, 16) }
}

/**
 * The text of a bookmark. Clients keep the greatest text, so the time of the write comes last: of two answers from one position the one
 * that knows the later write is kept.
 */
export function textOf({ database, position, written_at }: Bookmark): string {
  const name = database === FIRST ? '' : `${database}:`
  const written = written_at === undefined ? '' : `.${written_at.toString(16).padStart(8, '0')}`
  return name + position + written
}
