/** What is kept of an upload for after a reload. The content itself can't be kept: the person chooses the file again. */
export interface KeptUpload {
  upload_id: string
  name: string
  size_bytes: number
  /** The file that is listed while its content is on the way. */
  file_id: string | undefined
  /** The folder that it goes to. */
  folder_id: string | null
}

/** The uploads of a user that are not complete, in this browser. */
export class KeptUploads {
  readonly #key: string

  constructor(user_id: string) {
    this.#key = `console uploads of ${user_id}`
  }

  all(): KeptUpload[] {
    const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isKept) : []
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

function isKept(value: unknown): value is KeptUpload {
  return (
    typeof value === 'object' &&
    value !== null &&
    'upload_id' in value &&
    typeof value.upload_id === 'string' &&
    'name' in value &&
    typeof value.name === 'string' &&
    'size_bytes' in value &&
    typeof value.size_bytes === 'number' &&
    'folder_id' in value &&
    (!('file_id' in value) || typeof value.file_id === 'string') &&
    (value.folder_id === null || typeof value.folder_id === 'string')
  )
}
