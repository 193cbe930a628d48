import type { Save } from '../../records.ts'
import { newKey } from '../../transport.ts'
import type { Conflict, Unwritten } from '../conflict.ts'
import type { SaveContent } from '../save.ts'

/** Something that the game has written. The number tells it from what is written to the slot later. */
export interface Write extends SaveContent {
  number: number
  keep?: boolean | undefined
  /** The Idempotency-Key. Absent from what an earlier version of the client has put into the store. */
  key?: string | undefined
}

/** What this device knows of a slot. It survives a restart, so that every step can go on after the one before it. */
export interface Entry {
  /** What the game has written or read last. */
  latest: Write
  /** The revision that `latest` replaces, or has become; null when the slot was missing. */
  base: number | null
  /**
   * `saved`: the service has `latest` as the revision `base`. `waiting`: it is to be sent. `conflict`: the service has another
   * revision than `base`, and the game has to resolve that.
   */
  state: 'saved' | 'waiting' | 'conflict'
  /**
   * What has been sent over `base` without an answer. It is repeated with its key before anything newer is sent: then the service
   * answers as it did the first time, and the newer bytes don't conflict with this device's own.
   */
  sent?: Write | undefined
  /** When it is saved by this device: the record of the revision. */
  save?: Save | undefined
  /** In a conflict: what is there. */
  conflict?: Refused | undefined
}

type Refused = Pick<Conflict & Unwritten, 'current' | 'kept_revision'>

/** The game has written. What waits is replaced, and keeps its base. */
export function written(entry: Entry | undefined, content: Omit<Write, 'number' | 'key'>): Entry {
  const latest = numbered(content, entry?.latest)
  if (!entry) return { latest, base: null, state: 'waiting' }
  const { base, state } = entry
  return state === 'saved' ? { latest, base, state: 'waiting' } : { ...entry, latest }
}

/** What waits is about to be sent: `sent` over `base`. From then on it may be done, although its answer is lost. */
export function sending(entry: Entry): Entry {
  return entry.state === 'waiting' && !entry.sent ? { ...entry, sent: entry.latest } : entry
}

/** The service has written what was sent. */
export function acknowledged({ latest, sent }: Entry, save: Save): Entry {
  const base = save.revision
  return sent?.number === latest.number
    ? { latest, base, state: 'saved', save }
    : { latest, base, state: 'waiting' }
}

/** The service has refused what was sent, because it has another revision than `base`. */
export function refused({ latest, base }: Entry, { current, kept_revision }: Refused): Entry {
  return { latest, base, state: 'conflict', conflict: { current, kept_revision } }
}

/** The service takes what was sent at no time, so it was not done. What the game writes next may be taken. */
export function rejected({ sent: _, ...entry }: Entry): Entry {
  return entry
}

/** The game has decided what replaces the revision that is there. */
export function resolved({ latest, conflict }: Entry, content: Omit<Write, 'number' | 'key'>): Entry {
  const base = conflict?.current?.revision ?? null
  return { latest: numbered(content, latest), base, state: 'waiting' }
}

/** The game has read this revision of the service. What waits, or was saved while it was read, is newer than it, and stays. */
export function fetched(
  entry: Entry | undefined,
  content: Omit<Write, 'number' | 'key'>,
  base: number,
): Entry {
  if (entry && (entry.state !== 'saved' || (entry.base ?? 0) > base)) return entry
  return { latest: numbered(content, entry?.latest), base, state: 'saved' }
}

const numbered = (content: Omit<Write, 'number' | 'key'>, before: Write | undefined): Write => ({
  ...content,
  number: (before?.number ?? 0) + 1,
  key: newKey(),
})
