import { type ByteArray, type BytesSource, bytesOf, readBytes } from '../bytes.ts'

/** What a game says about the bytes of a save. */
export interface SaveDetails {
  /** The device that writes, in at most 64 characters, like `Ada’s phone`. */
  device?: string | undefined
  /** What players read in a list of saves, in at most 255 characters, like `Chapter 3, the harbour`. */
  label?: string | undefined
  /** How long the game has been played, in whole seconds. */
  played_seconds?: number | undefined
  /** Default: `application/octet-stream`. */
  mime_type?: string | undefined
}

/** What `saves.write` writes. */
export interface NewSave extends SaveDetails {
  /** The name that the game gives to the slot: 1 to 64 of `A-Z a-z 0-9 . _ -`. */
  slot: string
  /** The save itself, in at most 1 MiB. A string stands for its UTF-8. */
  bytes: BytesSource
  /** Whether the service keeps the bytes of a conflict as a revision that is not current. Default: false. */
  keep?: boolean | undefined
}

/** What `SaveConflict.resolve` writes. */
export type Resolution = Pick<NewSave, 'bytes'> & SaveDetails

/** The bytes of a save, and what the game has said about them. */
export interface SaveContent extends SaveDetails {
  bytes: ByteArray
}

/** What a write replaces: this revision and no other, no save at all (null: the slot is missing), or whatever is there. */
export type Replaced = number | null | 'any'

/**
 * Copies the bytes, because a game may reuse its buffer while they are sent, and returns a function that reads them: a `Blob`
 * never changes.
 *
 * @throws TypeError for what is no bytes; URIError, TypeError for a text that no request can carry, or the service never takes.
 * Found later, it would be taken for a write without an answer, or wait on the device for good.
 */
export function contentOf(given: Resolution): () => Promise<SaveContent> {
  const { device, label, played_seconds, mime_type } = given
  const said = { device, label, played_seconds, mime_type }
  new Headers({ ...headersOf(said), 'Content-Type': mime_type ?? '' })
  for (const [name, text] of Object.entries({ device, label }))
    if (text && (text.trim() === '' || [...text].some(isMisleading)))
      throw new TypeError(`The ${name} has no visible character, or one that controls the text around it.`)
  const bytes = bytesOf(given.bytes)
  return async () => ({ ...said, bytes: await readBytes(bytes) })
}

/** Whether a character is one of C0, DEL or C1, or turns the writing direction. */
function isMisleading(character: string): boolean {
  const ranges = ['\0\x1f', '\x7f\x9f', '\u202a\u202e', '\u2066\u2069']
  return ranges.some(([first = '', last = '']) => character >= first && character <= last)
}

/** The headers with what a game says about a save. A header has no other characters than those of ASCII. */
export function headersOf({ device, label, played_seconds }: SaveDetails): Record<string, string> {
  return {
    ...(device !== undefined && { 'Save-Device': encodeURIComponent(device) }),
    ...(label !== undefined && { 'Save-Label': encodeURIComponent(label) }),
    ...(played_seconds !== undefined && { 'Save-Played-Seconds': String(played_seconds) }),
  }
}

/** Whether both are the same, so that one request repeats the other. */
export function isSame(one: SaveContent, other: SaveContent): boolean {
  return (
    one.device === other.device &&
    one.label === other.label &&
    one.played_seconds === other.played_seconds &&
    one.mime_type === other.mime_type &&
    one.bytes.length === other.bytes.length &&
    one.bytes.every((byte, index) => byte === other.bytes[index])
  )
}
