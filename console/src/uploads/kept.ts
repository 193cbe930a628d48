import { record } from '../json.ts'
import { parseSource, type Source } from './source.ts'
import { parseTarget, type Target } from './target.ts'

/** What is kept of an upload for after a reload. The content itself can't be kept: the person chooses the file again. */
export interface KeptUpload {
  upload_id: string
  target: Target
  /** The name of the file or asset that the content becomes. */
  name: string
  source: Source
  /** The file that is listed while its content is on the way. */
  file_id: string | undefined
}

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
  return { upload_id, target, name, source, file_id: typeof file_id === 'string' ? file_id : undefined }
}
