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
 * `lost`: the page was loaded again, and the content has to be chosen again. `checking`: everything has arrived, and the
 * studio's checker has not said yet whether it may be used.
 */
type UploadState = 'waiting' | 'sending' | 'checking' | 'paused' | 'failed' | 'lost'

export interface QueuedUpload {
  id: string
  /** The name of the file or asset that the content becomes. */
  name: string
  source: Source
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
  /** All of the content has arrived: none is needed to go on. */
  hasArrived?: boolean
  /** What the content becomes, once the folders for it are made. */
  targetOf: () => Promise<Target>
  upload_id?: string | undefined
  file_id?: string | undefined
  ended?: AbortController
  /** Resolves when nothing of it is under way any more. */
  sent?: Promise<void>
}

/** Told what changes on the service. */
export interface Effects {
  /** A folder was made, or the upload of a file began or was completed. */
  onItem: (item: Item) => void
  onRemoved: (file_id: string) => void
  /** The upload of a file has failed for good. */
  onFailed: (file_id: string) => void
  /** An asset has a new version. */
  onAsset: (asset: Asset) => void
  /** Nothing is sent or waiting any more. */
  onIdle: (completedFiles: number) => void
}

const PARALLEL = 3

/**
 * The uploads of one pane that are not complete, of files and of assets, in the order in which they were added. They go on
 * while other screens are looked at.
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
      this.#work.set(upload_id, { content: undefined, hasArrived, targetOf, upload_id, file_id })
      const upload = shown(upload_id, name, source, hasArrived ? 'waiting' : 'lost')
      this.set([...this.items(), { ...upload, sent_bytes: hasArrived ? source.size_bytes : 0 }])
    }
  }

  /** Goes on with what needs nobody: uploads whose content is checked. */
  open(): void {
    for (const { id, state } of this.items())
      if (state === 'paused' && this.#work.get(id)?.hasArrived) this.change(id, { state: 'waiting' })
    this.#sendNext()
  }

  /** The upload that was to be a file's content and was rejected; undefined when this browser knows of none. */
  rejectedFor(file_id: string): string | undefined {
    return this.#kept.rejectedFor(file_id)
  }

  /** Uploads files into a folder, with the folders that they lie in. */
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

  /** Goes on with an upload; with one whose content was lost, given the same content again. */
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

  /** Goes on with the upload of a new asset, whose name was refused, under another one. */
  rename(id: string, name: string): void {
    this.change(id, { name })
    this.resume(id)
  }

  /** Gives an upload up, and what the service has of it. */
  async cancel(id: string): Promise<void> {
    const work = this.#work.get(id)
    this.#forget(id)
    work?.ended?.abort()
    await work?.sent
    if (work?.upload_id !== undefined)
      await this.#client.abortUpload({ id: work.upload_id }).catch(unlessGone)
    if (work?.file_id !== undefined) this.#effects.onRemoved(work.file_id)
  }

  /** Ends what is under way. It can be gone on with later, as after a reload. */
  close(): void {
    for (const { id, state } of this.items()) if (state === 'sending' || state === 'checking') this.pause(id)
  }

  #added(content: File, name: string, targetOf: Work['targetOf']): QueuedUpload {
    const id = crypto.randomUUID()
    this.#work.set(id, { content, targetOf })
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

  /** `before`: the same upload, that was paused and may still be starting. */
  async #send(
    upload: QueuedUpload,
    work: Work,
    signal: AbortSignal,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const { id } = upload
    await before
    try {
      this.#complete(id, work, await this.#upload(upload, work, signal))
    } catch (error) {
      if (!signal.aborted) this.#fail(id, work, error)
    }
    this.#sendNext()
  }

  #complete(id: string, work: Work, completed: CompletedFile | CompletedAsset): void {
    this.#forget(id)
    work.upload_id = undefined
    work.file_id = undefined
    if ('asset' in completed) this.#effects.onAsset(completed.asset)
    else {
      this.#completedFiles += 1
      this.#effects.onItem(completed.file)
    }
  }

  /** One that the service no longer takes content for begins anew when it is tried again, unless it was rejected. */
  #fail(id: string, work: Work, error: unknown): void {
    if (work.upload_id !== undefined && hasEnded(error)) {
      if (isRejected(error) && work.file_id !== undefined) this.#kept.mark(work.upload_id, 'rejected')
      else this.#kept.remove(work.upload_id)
      if (work.file_id !== undefined) this.#effects.onFailed(work.file_id)
      if (!isRejected(error)) work.upload_id = undefined
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
      signal,
      onStarted: (upload) => {
        const file = 'file' in upload ? upload.file : undefined
        work.upload_id = upload.id
        work.file_id = file?.id
        if (!this.#work.has(id)) return // it was cancelled
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
