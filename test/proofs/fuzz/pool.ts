import type { Dice } from './dice.ts'

/** What an answer can hold that a later request can use. */
export type Kind =
  | 'folder'
  | 'file'
  | 'pending file'
  | 'trashed'
  | 'empty asset'
  | 'asset'
  | 'deleted asset'
  | 'version'
  | 'channel key'
  | 'upload'
  | 'multipart'
  | 'sent'
  | 'checked upload'
  | 'ended upload'
  | 'share'
  | 'notification'
  | 'announcement'
  | 'recall'
  | 'event'
  | 'report'
  | 'case'
  | 'decision'
  | 'cursor'
  | 'etag'
  | 'bookmark'
  | 'seq'
  | 'part'
  | 'gone'

/** Something that an answer gave. */
export interface Entry {
  /** How later requests name it: see `reference`. */
  reference: string
  value: string
  kind: Kind
  /** The index of the person that it belongs to, as far as that is known. */
  owner: number | undefined
  /** The index of the person that it is for, of a share. */
  grantee: number | undefined
  /** Of a cursor: the path and query that it goes on with. Of a part: its upload. Of a file or asset: its type, and whether it is public. */
  of: string
}

export type Found = Pick<Entry, 'value' | 'kind'> & Partial<Entry>

/**
 * How a request names the `index`th thing that the answer to request `number` gave. Ids are others in each run, so
 * requests are kept with these in their place, and are the same for the same seed.
 */
function reference(number: number, index: number): string {
  return `~${number}.${index}~`
}

/** How a request names a person. */
export function personReference(index: number): string {
  return `~u${index}~`
}

/** Kinds of which the latest value is worth more than the one before. */
const passing: Kind[] = ['cursor', 'etag', 'bookmark', 'seq', 'part']

/** Everything that the answers of a round gave, what was in use last at the end. */
export class Pool {
  readonly #byValue = new Map<string, Entry>()
  readonly #byReference = new Map<string, string>()

  /** Takes in what the answer to request `number` held. What is known already keeps its name. */
  learn(number: number, found: Found[]): void {
    for (const [index, { value, kind, owner, grantee, of }] of found.entries()) {
      const name = reference(number, index)
      this.#byReference.set(name, value)
      const key = passing.includes(kind) ? `${kind} ${value} ${of}` : value
      const known = this.#byValue.get(key)
      this.#byValue.delete(key)
      this.#byValue.set(key, {
        reference: known?.reference ?? name,
        value,
        kind,
        owner: owner ?? known?.owner,
        grantee: grantee ?? known?.grantee,
        of: of ?? known?.of ?? '',
      })
    }
  }

  /** Notes what has become of a thing. */
  becomes(value: string, kind: Kind): void {
    const entry = this.#byValue.get(value)
    if (entry) entry.kind = kind
  }

  /** Notes that a thing was in use: what has just been used is used again sooner, so that uses of it meet. */
  touch(value: string): void {
    const entry = this.#byValue.get(value)
    if (entry && this.#byValue.delete(value)) this.#byValue.set(value, entry)
  }

  /** Notes what has become of all things of one kind that a person had. */
  allBecome(kinds: Kind[] | undefined, owner: number | undefined, kind: Kind): void {
    for (const entry of this.#byValue.values())
      if (entry.owner === owner && (kinds?.includes(entry.kind) ?? true)) entry.kind = kind
  }

  /** One thing of these kinds, rather one that was in use lately; of all kinds, without any. */
  pick(
    dice: Dice,
    kinds: Kind[] | undefined,
    which: (entry: Entry) => boolean = () => true,
  ): Entry | undefined {
    const fitting = [...this.#byValue.values()].filter(
      (entry) => (kinds?.includes(entry.kind) ?? !passing.includes(entry.kind)) && which(entry),
    )
    return dice.chance(0.6) ? dice.maybe(fitting.slice(-4)) : dice.maybe(fitting)
  }

  /** What is known of a thing. */
  entryOf(value: string): Entry | undefined {
    return this.#byValue.get(value)
  }

  /** What a reference stands for; an id that nothing has, when the request that gave it was left out. */
  resolve(name: string): string {
    return this.#byReference.get(name) ?? '00000000-0000-7000-8000-000000000000'
  }
}
