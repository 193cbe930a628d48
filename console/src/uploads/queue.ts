import { type Client, type CompletedFile, ServiceError } from 'edge-game-storage-client'
import { LiveList } from '../controls/live-list.ts'
import type { FolderId, Item } from '../files/item.ts'
import type { KeptUploads } from './kept.ts'

/** `lost`: the page was loaded again, and the content has to be chosen again. */
type UploadState = 'waiting' | 'sending' | 'paused' | 'failed' | 'lost'

export interface QueuedUpload {
  id: string
  name: string
  size_bytes: number
  state: UploadState
  sent_bytes: number
  /** Why it failed. */
  error: unknown
}

/** A file of the person's machine, in folders that are made for it. */
export interface ChosenFile {
  content: File
  /** The names of the folders that it lies in, the outermost first. */
  folders: readonly string[]
}

/** What is known of an upload beside what is shown. */
interface Work {
  content: File | undefined
  folderOf: () => Promise<FolderId>
  upload_id?: string | undefined
  file_id?: string | undefined
  ended?: AbortController
}

/** Told what changes on the service. */
export interface Effects {
  /** A folder was made, or an upload began or was completed. */
  onItem: (item: Item) => void
  onRemoved: (file_id: string) => void
  /** Nothing is sent or waiting any more. */
  onIdle: (completed: number) => void
}

const PARALLEL = 3

/** The uploads of one pane that are not complete, in the order in which they were added. They go on while other screens are looked at. */
export class UploadQueue extends LiveList<QueuedUpload> {
  readonly #client: Client
  readonly #kept: KeptUploads
  readonly #effects: Effects
  readonly #work = new Map<string, Work>()
  #completed = 0

  constructor(client: Client, kept: KeptUploads, effects: Effects) {
    super()
    this.#client = client
    this.#kept = kept
    this.#effects = effects
    for (const { upload_id, file_id, name, size_bytes, folder_id } of kept.all()) {
      this.#work.set(upload_id, { content: undefined, folderOf: async () => folder_id, upload_id, file_id })
      this.set([...this.items(), shown(upload_id, name, size_bytes, 'lost')])
    }
  }

  add(files: readonly ChosenFile[], folder: FolderId): void {
    const folders = new Map<string, Promise<FolderId>>()
    const added = files.map(({ content, folders: path }) => {
      const id = crypto.randomUUID()
      this.#work.set(id, { content, folderOf: () => this.#folderAt(path, folder, folders) })
      return shown(id, content.name, content.size, 'waiting')
    })
    this.set([...this.items(), ...added])
    this.#sendNext()
  }

  pause(id: string): void {
    this.change(id, { state: 'paused' })
    this.#work.get(id)?.ended?.abort()
  }

  /** Goes on with an upload; with one whose content was lost, given the same content again. */
  resume(id: string, content?: File): void {
    const upload = this.#find(id)
    const work = this.#work.get(id)
    if (!upload || !work) return
    if (content && content.size !== upload.size_bytes) {
      const error = new Error(`${content.name} has another size than ${upload.name}: choose the same file.`)
      this.change(id, { error })
      return
    }
    work.content = content ?? work.content
    this.change(id, { state: 'waiting', error: undefined })
    this.#sendNext()
  }

  /** Gives an upload up, and what the service has of it. */
  async cancel(id: string): Promise<void> {
    const work = this.#work.get(id)
    this.#forget(id)
    work?.ended?.abort()
    if (work?.upload_id !== undefined)
      await this.#client.abortUpload({ id: work.upload_id }).catch(unlessGone)
    if (work?.file_id !== undefined) this.#effects.onRemoved(work.file_id)
  }

  /** Ends what is under way. It can be gone on with later, as after a reload. */
  close(): void {
    for (const { id, state } of this.items()) if (state === 'sending') this.pause(id)
  }

  #sendNext(): void {
    const sending = this.items().filter(({ state }) => state === 'sending').length
    const next = this.items()
      .filter(({ state }) => state === 'waiting')
      .slice(0, PARALLEL - sending)
    for (const { id } of next) void this.#send(id)
    if (sending + next.length > 0 || this.#completed === 0) return
    this.#effects.onIdle(this.#completed)
    this.#completed = 0
  }

  async #send(id: string): Promise<void> {
    const work = this.#work.get(id)
    if (!work?.content) return
    const ended = new AbortController()
    work.ended = ended
    this.change(id, { state: 'sending' })
    try {
      const { file } = await this.#upload(id, work, work.content, ended.signal)
      this.#forget(id)
      this.#completed += 1
      this.#effects.onItem(file)
    } catch (error) {
      if (!ended.signal.aborted) this.#fail(id, work, error)
    }
    this.#sendNext()
  }

  /** One that the service no longer has begins anew when it is tried again. */
  #fail(id: string, work: Work, error: unknown): void {
    if (work.upload_id !== undefined && isGone(error)) {
      this.#kept.remove(work.upload_id)
      work.upload_id = undefined
    }
    this.change(id, { state: 'failed', error })
  }

  async #upload(id: string, work: Work, content: File, signal: AbortSignal): Promise<CompletedFile> {
    const completed = await this.#client.upload(content, {
      ...(work.upload_id === undefined
        ? { parent_id: await work.folderOf(), name: content.name }
        : { upload_id: work.upload_id }),
      signal,
      onStarted: (upload) => {
        work.upload_id = upload.id
        const { file } = upload
        const kept = { name: content.name, size_bytes: content.size, folder_id: file?.parent_id ?? null }
        this.#kept.add({ ...kept, upload_id: upload.id, file_id: file?.id })
        if (!file) return
        work.file_id = file.id
        this.#effects.onItem(file)
      },
      onProgress: ({ sent_bytes }) => this.change(id, { sent_bytes }),
    })
    if (!('file' in completed)) throw new Error('This upload is one of an asset.')
    return completed
  }

  /** The folder at a path below another one. Each is made once for the files that were added together. */
  #folderAt(
    path: readonly string[],
    root: FolderId,
    made: Map<string, Promise<FolderId>>,
  ): Promise<FolderId> {
    const name = path.at(-1)
    if (name === undefined) return Promise.resolve(root)
    const key = path.join('/')
    const known = made.get(key)
    if (known) return known
    const making = this.#folderAt(path.slice(0, -1), root, made).then(async (parent_id) => {
      const folder = await this.#client.createFolder({ name, asset_type: 'folder', parent_id })
      this.#effects.onItem({ ...folder, mime_type: null, processing_state: null })
      return folder.id
    })
    made.set(key, making)
    making.catch(() => made.delete(key))
    return making
  }

  #find(id: string): QueuedUpload | undefined {
    return this.items().find((upload) => upload.id === id)
  }

  #forget(id: string): void {
    const upload_id = this.#work.get(id)?.upload_id
    if (upload_id !== undefined) this.#kept.remove(upload_id)
    this.#work.delete(id)
    this.remove(id)
  }
}

function shown(id: string, name: string, size_bytes: number, state: UploadState): QueuedUpload {
  return { id, name, size_bytes, state, sent_bytes: 0, error: undefined }
}

function isGone(error: unknown): boolean {
  return error instanceof ServiceError && ['UPLOAD_NOT_FOUND', 'UPLOAD_EXPIRED'].includes(error.code)
}

function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error
}
