import type { SeekableContent } from 'edge-game-storage-client'
import { record } from '../json.ts'

/** The properties of a local file by which it is recognised after a reload. */
export interface Source {
  name: string
  size_bytes: number
  /** In milliseconds since 1970. */
  modified_at: number
}

export function sourceOf({ name, size, lastModified }: File): Source {
  return { name, size_bytes: size, modified_at: lastModified }
}

/** Parses a stored source; undefined when the value is none. */
export function parseSource(value: unknown): Source | undefined {
  const { name, size_bytes, modified_at } = record(value)
  if (typeof name !== 'string' || typeof size_bytes !== 'number') return undefined
  return typeof modified_at === 'number' ? { name, size_bytes, modified_at } : undefined
}

/** Why an upload can't be resumed with a file; undefined when it is the same file as before. */
export function whyOther({ name, size, lastModified }: File, begun: Source): Error | undefined {
  if (size !== begun.size_bytes)
    return new Error(`${name} has another size than ${begun.name}: choose the same file.`)
  if (lastModified !== begun.modified_at)
    return new Error(`${name} is not ${begun.name} as it was when the upload began: choose the same file.`)
  return undefined
}

/** A placeholder for content that has arrived completely and need not be read again. */
export function arrivedContent({ size_bytes }: Source): SeekableContent {
  return { size: size_bytes, slice: () => Promise.reject(new Error('Choose the file again.')) }
}
