import type { Client, CompletedAsset, CompletedFile } from 'edge-game-storage-client'
import type { Asset } from '../assets/asset.ts'
import { LiveList } from '../controls/live-list.ts'
import type { FolderId, Item } from '../files/item.ts'
import { NewFolders } from './folders.ts'
import type { KeptUploads } from './kept.ts'
import { hasEnded, isRejected, send, unlessGone } from './send.ts'
import { arrivedContent, type Source, sourceOf, whyOther } from './source.ts'
import type { AssetTarget, Target } from './target.ts'

/**
 * `lost`: after a reload, the user has to choose the content again. `checking`: the content has arrived, and waits for the
 * studio's check.
 */
type UploadState = 'waiting' | 'sending' | 'checking' | 'paused' | 'failed' | 'lost'

export interface QueuedUpload {
  id: string
  /** The name of the file or asset that the content becomes. */
  name: string
  source: Source
  state: UploadState
  sent_bytes: number
  /** The error of a failed upload. */
  error: unknown
}

/** A file of the user's machine, with the folders to create for it. */
export interface ChosenFile {
  content: File
  /** The names of its folders, the outermost first. */
  folders: readonly string[]
}

/** The state of an upload that is not shown. */
interface Work {
  content: File | undefined
  /** Whether all content has arrived, so that none is needed to resume. */
  hasArrived?: boolean
  /** Creates the folders for the content, and resolves with its target. */
  targetOf: () => Promise<Target>
  /** The Idempotency-Key of its next start. */
  key: string
  upload_id?: string | undefined
  file_id?: string | undefined
  /** The file that was complete although the upload had been cancelled. */
  arrived_id?: string | undefined
  ended?: AbortController
  /** Resolves when the current attempt has ended. */
  sent?: Promise<void>
}

/** Callbacks for changes on the service. */
export interface Effects {
  /** A folder was created, or the upload of a file has begun or is complete. */
  onItem: (item: Item) => void
  onRemoved: (file_id: string) => void
  /** The upload of a file has failed for good. */
  onFailed: (file_id: string) => void
  /** An asset has a new version. */
  onAsset: (asset: Asset) => void
  /** No upload is being sent or waiting any more. */
  onIdle: (completedFiles: number) => void
}

const PARALLEL = 3

/**
 * The incomplete uploads of a pane, of files and assets, in the order in which they were added. They continue whichever screen
 * is shown.
 */
export class UploadQueue extends LiveList<QueuedUpload> {
  readonly #client: Client
  readonly #kept: KeptUploads
  readonly #effects: Effects
  readonly #work = new Map<string, Work>()
  #completedFiles = 0

  constructor(client: Client, kept: KeptUploads, effects: Effects) {
    super()
    this.#client = client
    this.#kept = kept
    this.#effects = effects
    for (const { upload_id, state, target, name, source, file_id } of kept.all()) {
      if (state === 'rejected') continue
      const hasArrived = state === 'checking'
      const targetOf = async () => target
      const key = crypto.randomUUID()
      this.#work.set(upload_id, { content: undefined, hasArrived, targetOf, key, upload_id, file_id })
      const upload = shown(upload_id, name, source, hasArrived ? 'waiting' : 'lost')
      this.set([...this.items(), { ...upload, sent_bytes: hasArrived ? source.size_bytes : 0 }])
    }
  }

  /** Resumes the uploads that need nothing from the user: those whose content is being checked. */
  open(): void {
    for (const { id, state } of this.items())
      if (state === 'paused' && this.#work.get(id)?.hasArrived) this.change(id, { state: 'waiting' })
    this.#sendNext()
  }

  /** The id of the rejected upload of a file; undefined when this browser has stored none. */
  rejectedFor(file_id: string): string | undefined {
    return this.#kept.rejectedFor(file_id)
  }

  /** Uploads files into a folder, and creates the folders of their paths. */
  addFiles(files: readonly ChosenFile[], folder: FolderId): void {
    const made = new NewFolders(this.#client, folder, this.#effects.onItem)
    const added = files.map(({ content, folders }) =>
      this.#added(content, content.name, async () => ({ kind: 'file', folder_id: await made.at(folders) })),
    )
    this.set([...this.items(), ...added])
    this.#sendNext()
  }

  /** Uploads a version of an asset. */
  addVersion(content: File, asset_name: string, target: AssetTarget): void {
    this.set([...this.items(), this.#added(content, asset_name, async () => target)])
    this.#sendNext()
  }

  pause(id: string): void {
    this.change(id, { state: 'paused' })
    this.#work.get(id)?.ended?.abort()
  }

  /** Resumes an upload. A `lost` one needs the same content again. */
  resume(id: string, content?: File): void {
    const upload = this.#find(id)
    const work = this.#work.get(id)
    if (!upload || !work) return
    const error = content && whyOther(content, upload.source)
    if (!error) work.content = content ?? work.content
    const state = work.content || work.hasArrived ? 'waiting' : 'lost'
    this.change(id, error ? { error } : { state, error: undefined })
    this.#sendNext()
  }

  /** Resumes the upload of a new asset under another name, after the service rejected the first. */
  rename(id: string, name: string): void {
    this.change(id, { name })
    this.resume(id)
  }

  /** Cancels an upload, and aborts it on the service. A file that was complete before is deleted permanently. */
  async cancel(id: string): Promise<void> {
    const work = this.#work.get(id)
    this.#forget(id)
    work?.ended?.abort()
    await work?.sent
    if (work?.upload_id !== undefined)
      await this.#client.abortUpload({ id: work.upload_id }).catch(unlessGone)
    if (work?.arrived_id !== undefined) {
      await this.#client.deleteFile({ id: work.arrived_id })
      await this.#client.purgeFile({ id: work.arrived_id })
    }
    if (work?.file_id !== undefined) this.#effects.onRemoved(work.file_id)
  }

  /** Pauses all uploads. They can be resumed later, as after a reload. */
  close(): void {
    for (const { id, state } of this.items()) if (state === 'sending' || state === 'checking') this.pause(id)
  }

  #added(content: File, name: string, targetOf: Work['targetOf']): QueuedUpload {
    const id = crypto.randomUUID()
    this.#work.set(id, { content, targetOf, key: crypto.randomUUID() })
    return shown(id, name, sourceOf(content), 'waiting')
  }

  #sendNext(): void {
    const sending = this.items().filter(({ state }) => state === 'sending').length
    const waiting = this.items().filter(({ state }) => state === 'waiting')
    const arrived = waiting.filter(({ id }) => this.#work.get(id)?.hasArrived)
    const next = waiting.filter((upload) => !arrived.includes(upload)).slice(0, PARALLEL - sending)
    for (const upload of [...arrived, ...next]) this.#begin(upload)
    if (sending + next.length > 0 || this.#completedFiles === 0) return
    this.#effects.onIdle(this.#completedFiles)
    this.#completedFiles = 0
  }

  #begin(upload: QueuedUpload): void {
    const { id } = upload
    const work = this.#work.get(id)
    if (!work) return
    const ended = new AbortController()
    work.ended = ended
    work.sent = this.#send(upload, work, ended.signal, work.sent)
    this.change(id, { state: work.hasArrived ? 'checking' : 'sending' })
  }

  /** `before`: the previous attempt of the same upload, which was paused and may still be starting. */
  async #send(
    upload: QueuedUpload,
    work: Work,
    signal: AbortSignal,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const { id } = upload
    await before
    if (!this.#work.has(id)) return // a paused attempt was complete nevertheless
    try {
      this.#complete(id, work, await this.#upload(upload, work, signal))
    } catch (error) {
      if (!signal.aborted) this.#fail(id, work, error)
    }
    this.#sendNext()
  }

  #complete(id: string, work: Work, completed: CompletedFile | CompletedAsset): void {
    const isCancelled = !this.#work.has(id)
    this.#forget(id)
    work.upload_id = undefined
    work.file_id = undefined
    if (isCancelled && 'file' in completed) {
      work.arrived_id = completed.file.id
      return
    }
    if ('asset' in completed) this.#effects.onAsset(completed.asset)
    else {
      this.#completedFiles += 1
      this.#effects.onItem(completed.file)
    }
  }

  /** Marks an upload as failed. If the service has ended it, a retry starts a new upload, unless the content was rejected. */
  #fail(id: string, work: Work, error: unknown): void {
    if (work.upload_id !== undefined && hasEnded(error)) {
      if (isRejected(error) && work.file_id !== undefined) this.#kept.mark(work.upload_id, 'rejected')
      else this.#kept.remove(work.upload_id)
      if (work.file_id !== undefined) this.#effects.onFailed(work.file_id)
      if (!isRejected(error)) work.upload_id = undefined
      work.key = crypto.randomUUID()
      work.hasArrived = false
    }
    this.change(id, { state: 'failed', error })
  }

  async #upload({ id, name, source }: QueuedUpload, work: Work, signal: AbortSignal) {
    const { content, hasArrived, upload_id } = work
    const target = await work.targetOf()
    signal.throwIfAborted()
    return send(this.#client, content ?? arrivedContent(source), name, target, {
      upload_id,
      key: work.key,
      signal,
      onStarted: (upload) => {
        const file = 'file' in upload ? upload.file : undefined
        work.upload_id = upload.id
        work.file_id = file?.id
        if (!this.#work.has(id)) return // the upload was cancelled
        this.#kept.add({
          upload_id: upload.id,
          state: hasArrived ? 'checking' : 'open',
          target,
          name,
          source: content ? sourceOf(content) : source,
          file_id: file?.id,
        })
        if (file) this.#effects.onItem(file)
      },
      onProgress: ({ sent_bytes }) => this.change(id, { sent_bytes }),
      onProcessing: (upload) => {
        work.hasArrived = true
        this.#kept.mark(upload.id, 'checking')
        if (upload.file) this.#effects.onItem(upload.file)
        this.change(id, { state: 'checking' })
        this.#sendNext()
      },
    })
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

function shown(id: string, name: string, source: Source, state: UploadState): QueuedUpload {
  return { id, name, source, state, sent_bytes: 0, error: undefined }
}
