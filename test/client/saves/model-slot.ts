import type { Save } from '#client'

/** A revision of the model, by whom it was written and over which. */
export interface ModelRevision {
  revision: number
  text: string
  author: string
  over: number | null
  key: string | undefined
}

/** A slot of the service as the contract describes it, with the rule of the key. It forgets no revision. */
export class ModelSlot {
  readonly revisions: ModelRevision[] = []

  get current(): ModelRevision | undefined {
    return this.revisions.at(-1)
  }

  /** Writes over a revision; null: over none. Returns the revision, or undefined when the slot has another. */
  write(
    text: string,
    author: string,
    over: number | null,
    key: string | undefined,
  ): ModelRevision | undefined {
    const known = this.revisions.find((one) => one.key === key)
    if (known) {
      if (known.text !== text || known.author !== author || known.over !== over)
        throw new Error('A key came with another request.')
      return known
    }
    if ((this.current?.revision ?? null) !== over) return undefined
    const written = { revision: (over ?? 0) + 1, text, author, over, key }
    this.revisions.push(written)
    return written
  }
}

/** The record of a revision. */
export function recordOf({ revision, text, author }: ModelRevision): Save {
  return {
    slot: 'auto',
    revision,
    size_bytes: text.length,
    mime_type: 'text/plain',
    checksum_sha256: '',
    device: author,
    label: null,
    played_seconds: null,
    written_by: null,
    recall_id: null,
    created_at: 1,
    updated_at: revision,
  }
}
