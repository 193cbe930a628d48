import { type Client, type FileRecord, NetworkError, type UploadedAsset } from 'edge-game-storage-client'
import { LiveList } from '../controls/live-list.ts'
import { randomId } from '../controls/random-id.ts'
import type { FolderId, Item } from '../files/item.ts'
import { isRefusal } from '../session/session.tsx'
import type { ChosenFile } from './chosen.ts'
import { NewFolders } from './folders.ts'
import type { KeptUploads } from './kept.ts'
import { Pace } from './pace.ts'
import { plan } from './plan.ts'
import { hasEnded, isRejected, send, unlessGone } from './send.ts'
import { arrivedContent, type Source, sourceOf, whyOther } from './source.ts'
import type { AssetTarget } from './target.ts'
import type { Effects, Work } from './work.ts'

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

const PARALLEL = 3

/**
 * How many parts of one upload are sent at a time. A reload or a pause loses parts under way, so these are few; a second one uses
 * the time in which the first waits for its answer.
 */
const PARALLEL_PARTS = 2

/** How many uploads that wait for their content are read after a reload, to show what the service has of them. */
const MOST_READ = 20

/**
 * The incomplete uploads of a pane, of files and assets, in the order in which they were added. They continue whichever screen
 * is shown.
 */
export class UploadQueue extends LiveList<QueuedUpload> {
  readonly #client: Client
  readonly #kept: KeptUploads
  readonly #effects: Effects
  readonly #work = new Map<string, Work>()
  readonly pace = new Pace()
  /** The completed uploads since the list was last empty. */
  completed = { count: 0, bytes: 0 }
  #isOpen = false
  /** Resolves when the files that were added last are decided on: their questions come one after the other. */
  #planning: Promise<unknown> = Promise.resolve()
  /** The files that were completed since the queue was last idle: new ones, and those with new content. */
  #uploaded: FileRecord[] = []
  #replaced: FileRecord[] = []

  constructor(client: Client, kept: KeptUploads, effects: Effects) {
    super()
    this.#client = client
    this.#kept = kept
    this.#effects = effects
    for (const { upload_id, state, target, name, source, file_id } of kept.all()) {
      if (state === 'rejected') continue
      const hasArrived = state === 'checking'
      const targetOf = async () => target
      const key = randomId()
      this.#work.set(upload_id, { content: undefined, hasArrived, targetOf, key, upload_id, file_id })
      const upload = shown(upload_id, name, source, hasArrived ? 'waiting' : 'lost')
      this.set([...this.items(), { ...upload, sent_bytes: hasArrived ? source.size_bytes : 0 }])
    }
  }

  /** Resumes the uploads that need nothing from the user: those whose content is being checked. */
  open(): void {
    this.#isOpen = true
    for (const { id, state } of this.items())
      if (state === 'paused' && this.#work.get(id)?.hasArrived) this.change(id, { state: 'waiting' })
    this.#sendNext()
    void this.#readLost()
  }

  /** The id of the rejected upload of a file; undefined when this browser has stored none. */
  rejectedFor(file_id: string): string | undefined {
    return this.#kept.rejectedFor(file_id)
  }

  /** Uploads files into a folder, and creates the folders of their paths. Asks about names that the folders have already. */
  async addFiles(files: readonly ChosenFile[], folder: FolderId): Promise<void> {
    const planning = this.#planning.then(() => plan(this.#client, files, folder, this.#effects.ask))
    this.#planning = planning.catch(() => undefined)
    const planned = await planning
    if (!planned) return
    if (planned.isCut) this.#effects.onCut()
    const made = new NewFolders(this.#client, planned.folders, this.#effects.onItem)
    const added = planned.uploads.map(({ content, name, folders, file_id }) =>
      this.#added(content, name, async () =>
        file_id === undefined
          ? { kind: 'file', folder_id: await made.at(folders) }
          : { kind: 'content', file_id },
      ),
    )
    this.set([...this.items(), ...added])
    this.#sendNext()
  }

  /** Uploads new content for a file, which keeps its name. */
  addContent(content: File, { id, name }: Pick<Item, 'id' | 'name'>): void {
    this.set([...this.items(), this.#added(content, name, async () => ({ kind: 'content', file_id: id }))])
    this.#sendNext()
  }

  /** Uploads a version of an asset, or content of one for a platform. */
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
    work.isForced = isRefusal(upload.error, 'PRECONDITION_FAILED')
    const state = work.content || work.hasArrived ? 'waiting' : 'lost'
    this.change(id, error ? { error } : { state, error: undefined })
    this.#sendNext()
  }

  /** Resumes the uploads that failed because no answer came. */
  resumeUnanswered(): void {
    for (const { id, state, error } of this.items())
      if (state === 'failed' && error instanceof NetworkError) this.resume(id)
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
      await this.#client.uploads.abort({ id: work.upload_id }).catch(unlessGone)
    if (work?.arrived_id !== undefined) {
      await this.#client.files.delete({ id: work.arrived_id })
      await this.#client.trash.delete({ id: work.arrived_id })
    }
    if (work?.file_id !== undefined) this.#effects.onRemoved(work.file_id)
  }

  /** Pauses all uploads, and begins no more. They can be resumed later, as after a reload. */
  close(): void {
    this.#isOpen = false
    for (const { id, state } of this.items()) if (state === 'sending' || state === 'checking') this.pause(id)
  }

  #added(content: File, name: string, targetOf: Work['targetOf']): QueuedUpload {
    const id = randomId()
    this.#work.set(id, { content, targetOf, key: randomId() })
    return shown(id, name, sourceOf(content), 'waiting')
  }

  #sendNext(): void {
    if (!this.#isOpen) return
    const sending = this.items().filter(({ state }) => state === 'sending').length
    const waiting = this.items().filter(({ state }) => state === 'waiting')
    const arrived = waiting.filter(({ id }) => this.#work.get(id)?.hasArrived)
    const next = waiting.filter((upload) => !arrived.includes(upload)).slice(0, PARALLEL - sending)
    for (const upload of [...arrived, ...next]) this.#begin(upload)
    if (sending + next.length > 0 || this.#uploaded.length + this.#replaced.length === 0) return
    this.#effects.onIdle(this.#uploaded, this.#replaced)
    this.#uploaded = []
    this.#replaced = []
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

  #complete(id: string, work: Work, completed: { file: FileRecord } | UploadedAsset): void {
    const upload = this.#find(id)
    if (upload) {
      const { count, bytes } = this.completed
      this.completed = { count: count + 1, bytes: bytes + upload.source.size_bytes }
    }
    this.#forget(id)
    work.upload_id = undefined
    work.file_id = undefined
    if (!upload && 'file' in completed && !work.isReplacing) {
      work.arrived_id = completed.file.id
      return
    }
    if (!this.#isOpen) return
    if ('asset' in completed) {
      const { asset, version } = completed
      if (work.isVariant) this.#effects.onVariant(asset, version.version)
      else this.#effects.onVersion(asset, work.content)
    } else {
      if (upload) (work.isReplacing ? this.#replaced : this.#uploaded).push(completed.file)
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
      work.key = randomId()
      work.hasArrived = false
    }
    this.change(id, { state: 'failed', error })
  }

  async #upload({ id, name, source }: QueuedUpload, work: Work, signal: AbortSignal) {
    const { content, hasArrived, upload_id } = work
    const target = await work.targetOf()
    signal.throwIfAborted()
    work.isReplacing = target.kind === 'content'
    work.isVariant = target.kind === 'variant'
    let before: number | undefined
    return send(this.#client, content ?? arrivedContent(source), name, target, {
      upload_id,
      key: work.key,
      signal,
      parallel: PARALLEL_PARTS,
      isForced: work.isForced ?? false,
      onStarted: (upload) => {
        const file = 'file' in upload && !work.isReplacing ? upload.file : undefined
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
      onProgress: ({ sent_bytes }) => {
        // The first progress of a resumed upload is what the service has of it.
        this.pace.add(sent_bytes - (before ?? sent_bytes))
        before = sent_bytes
        this.change(id, { sent_bytes })
      },
      onProcessing: (upload) => {
        work.hasArrived = true
        this.#kept.mark(upload.id, 'checking')
        if (upload.file) this.#effects.onItem(upload.file)
        this.change(id, { state: 'checking' })
        this.#sendNext()
      },
    })
  }

  /** Reads how much the service has of the uploads whose content has to be chosen again. */
  async #readLost(): Promise<void> {
    const lost = this.items().filter(({ state }) => state === 'lost')
    for (const { id, source } of lost.slice(0, MOST_READ)) {
      const upload = await this.#client.uploads.get({ id }).catch(() => undefined)
      if (!upload || !('multipart' in upload) || this.#find(id)?.state !== 'lost') continue
      const { part_size, uploaded = [] } = upload.multipart ?? { part_size: 0 }
      this.change(id, { sent_bytes: Math.min(source.size_bytes, uploaded.length * part_size) })
    }
  }

  #find(id: string): QueuedUpload | undefined {
    return this.items().find((upload) => upload.id === id)
  }

  #forget(id: string): void {
    const upload_id = this.#work.get(id)?.upload_id
    if (upload_id !== undefined) this.#kept.remove(upload_id)
    this.#work.delete(id)
    if (this.items().every((upload) => upload.id === id)) this.completed = { count: 0, bytes: 0 }
    this.remove(id)
  }
}

function shown(id: string, name: string, source: Source, state: UploadState): QueuedUpload {
  return { id, name, source, state, sent_bytes: 0, error: undefined }
}
