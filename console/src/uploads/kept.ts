import { record, storedValue } from '../json.ts'
import { parseSource, type Source } from './source.ts'
import { parseTarget, type Target } from './target.ts'

/**
 * `open`: content is missing, and the user has to choose the file again. `checking`: the content has arrived, and waits for the
 * studio's check. `rejected`: the check has failed; stored, so that the service can be asked for the reason.
 */
type KeptState = 'open' | 'checking' | 'rejected'

/** The stored data of an upload, to resume it after a reload. Without its content, which can't be stored. */
export interface KeptUpload {
  upload_id: string
  state: KeptState
  target: Target
  /** The name of the file or asset that the content becomes. */
  name: string
  source: Source
  /** The file that lists show while its content is uploaded. */
  file_id: string | undefined
}

/** How many rejected uploads are stored: the latest ones. */
const MOST_REJECTED = 100

/** Stores the incomplete uploads of a user in this browser. */
export class KeptUploads {
  readonly #key: string

  constructor(user_id: string) {
    this.#key = `console uploads of ${user_id}`
  }

  all(): KeptUpload[] {
    const kept = storedValue(localStorage.getItem(this.#key))
    return Array.isArray(kept) ? kept.flatMap((upload) => parse(upload) ?? []) : []
  }

  add(upload: KeptUpload): void {
    this.#write([...this.#without(upload.upload_id), upload])
  }

  mark(upload_id: string, state: KeptState): void {
    const marked = this.all().map((kept) => (kept.upload_id === upload_id ? { ...kept, state } : kept))
    const excess = marked.filter((kept) => kept.state === 'rejected').slice(0, -MOST_REJECTED)
    this.#write(marked.filter((kept) => !excess.includes(kept)))
  }

  /** The id of the rejected upload of a file; undefined when this browser has stored none. */
  rejectedFor(file_id: string): string | undefined {
    return this.all().findLast((kept) => kept.file_id === file_id && kept.state === 'rejected')?.upload_id
  }

  remove(upload_id: string): void {
    this.#write(this.#without(upload_id))
  }

  #without(upload_id: string): KeptUpload[] {
    return this.all().filter((kept) => kept.upload_id !== upload_id)
  }

  #write(uploads: KeptUpload[]): void {
    if (uploads.length === 0) localStorage.removeItem(this.#key)
    else localStorage.setItem(this.#key, JSON.stringify(uploads))
  }
}

function parse(value: unknown): KeptUpload | undefined {
  const { upload_id, name, file_id, ...rest } = record(value)
  const source = parseSource(rest.source)
  const target = parseTarget(rest.target)
  if (typeof upload_id !== 'string' || typeof name !== 'string' || !source || !target) return undefined
  const state = rest.state === 'checking' || rest.state === 'rejected' ? rest.state : 'open'
  return {
    upload_id,
    state,
    target,
    name,
    source,
    file_id: typeof file_id === 'string' ? file_id : undefined,
  }
}
