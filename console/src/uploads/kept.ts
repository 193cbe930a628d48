import { record } from '../json.ts'
import { parseSource, type Source } from './source.ts'
import { parseTarget, type Target } from './target.ts'

/**
 * `open`: content is missing, and the person chooses the file again. `checking`: everything has arrived, and the studio's
 * checker says whether it may be used. `rejected`: the checker has said no; kept, so that the upload can be asked why.
 */
type KeptState = 'open' | 'checking' | 'rejected'

/** What is kept of an upload for after a reload. The content itself can't be kept. */
export interface KeptUpload {
  upload_id: string
  state: KeptState
  target: Target
  /** The name of the file or asset that the content becomes. */
  name: string
  source: Source
  /** The file that is listed while its content is on the way. */
  file_id: string | undefined
}

/** How many rejected uploads are kept, the latest ones. */
const MOST_REJECTED = 100

/** The uploads of a user that are not complete, in this browser. */
export class KeptUploads {
  readonly #key: string

  constructor(user_id: string) {
    this.#key = `console uploads of ${user_id}`
  }

  all(): KeptUpload[] {
    const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? '[]')
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

  /** The upload that was to be a file's content and was rejected; undefined when this browser knows of none. */
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
