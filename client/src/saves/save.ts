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

/** Whether only the studio's servers write a slot: a player's write is SAVE_READ_ONLY. */
export function isReadOnlySlot(slot: string): boolean {
  return slot.startsWith('server.')
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
  rejectText('device', device, 64)
  rejectText('label', label, 255)
  const bytes = bytesOf(given.bytes)
  return async () => ({ ...said, bytes: await readBytes(bytes) })
}

/** Characters that control the text around them, as ranges: C0, DEL, C1, and those that turn the writing direction. */
const misleading = ['\0\x1f', '\x7f\x9f', '\u202a\u202e', '\u2066\u2069']
/** What Unicode ignores by default, and what looks like white space. A regular expression has no name for it in Hermes. */
const invisible = [
  '\xad\xad',
  '\u034f\u034f',
  '\u061c\u061c',
  '\u115f\u1160',
  '\u17b4\u17b5',
  '\u180b\u180f',
  '\u200b\u200f',
  '\u2060\u206f',
  '\u2800\u2800',
  '\u3164\u3164',
  '\ufe00\ufe0f',
  '\ufeff\ufeff',
  '\uffa0\uffa0',
  '\ufff0\ufffb',
  '\u{1bca0}\u{1bca3}',
  '\u{1d173}\u{1d17a}',
  '\u{e0000}\u{e0fff}',
]

function isIn(ranges: string[], character: string): boolean {
  return ranges.some((range) => {
    const [first = '', last = ''] = range
    return character >= first && character <= last && character.length === first.length
  })
}

/** @throws TypeError for a text of a save that the service never takes */
export function rejectText(name: string, text: string | undefined, most: number): void {
  if (!text) return
  const characters = [...text]
  if (characters.length > most) throw new TypeError(`The ${name} has more than ${most} characters.`)
  const isVisible = characters.some((one) => one.trim() !== '' && !isIn(invisible, one))
  if (!isVisible || characters.some((one) => isIn(misleading, one)))
    throw new TypeError(`The ${name} has no visible character, or one that controls the text around it.`)
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
