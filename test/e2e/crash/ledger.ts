import type { Content } from './content.ts'
import type * as records from './records.ts'
import type { View } from './view.ts'

/** A file or folder. `isTrashed`: it was deleted itself, not with a folder. */
export interface Item {
  record: records.ItemRecord
  isTrashed: boolean
  content?: Content
}

export interface Asset {
  record: records.Asset
  versions: { record: records.Version; content: Content }[]
  isDeleted: boolean
}

/** What an upload is to become. */
export type Purpose = 'file' | 'replacement' | 'asset' | 'version' | 'parts' | 'mismatch'

/** An upload that has neither been completed nor aborted. */
export interface OpenUpload {
  id: string
  purpose: Purpose
  content: Content
  /** The file or the asset that it is for, if that is there already. */
  target?: string
  /** Where to send the content; of content in parts, the length of each but the last. */
  way: { url: string; headers: Record<string, string> } | { part_size: number }
  /** The ETags of what has been sent: one for each part, or one for all. */
  sent: string[]
  expires_at: number
}

/**
 * What one user has been promised: every answer that came is written down here, and after a crash the service has to
 * show exactly this.
 */
export class Ledger {
  readonly items = new Map<string, Item>()
  readonly shares = new Map<string, records.Share>()
  readonly assets = new Map<string, Asset>()
  readonly uploads = new Map<string, OpenUpload>()
  /** Newest first. */
  inbox: records.Notification[] = []
  /** Paths of what has been deleted for good: they lead nowhere from then on. */
  readonly gone: string[] = []
  /** Uploads that have come to an end, and what they were for: the latest of them. */
  readonly ended = new Map<string, { state: 'completed' | 'failed'; target: string | undefined }>()
  /** Uploads that have been aborted, whose URLs still take content. */
  readonly aborted: OpenUpload[] = []
  /** What has been downloaded and compared: the seed of the content, by the path that leads to it. */
  readonly compared = new Map<string, string>()
  /** Bytes that have been deleted for good, and may be counted until the job has run after that moment. */
  owed: { bytes: number; since: number }[] = []

  /** Whether an item is neither in the trash nor in a folder that is. */
  isLive(id: string): boolean {
    const item = this.items.get(id)
    if (!item || item.isTrashed) return false
    return item.record.parent_id === null || this.isLive(item.record.parent_id)
  }

  /** Whether an item is, or lies in, another. */
  isWithin(id: string, outer: string): boolean {
    if (id === outer) return true
    const parent = this.items.get(id)?.record.parent_id
    return typeof parent === 'string' && this.isWithin(parent, outer)
  }

  liveItems(): Item[] {
    return [...this.items.values()].filter(({ record }) => this.isLive(record.id))
  }

  /** Files whose content can be downloaded. */
  readyFiles(): Item[] {
    return this.liveItems().filter(({ record }) => record.processing_state === 'ready')
  }

  /** Deletes an item for good, with what lies below, but not with what was deleted before it. */
  purge(id: string): void {
    const item = this.items.get(id)
    if (!item) return
    for (const { record, isTrashed } of [...this.items.values()])
      if (record.parent_id === id && !isTrashed) this.purge(record.id)
    for (const { id: share_id, file_id } of [...this.shares.values()])
      if (file_id === id) this.shares.delete(share_id)
    this.#forgetUploadsFor(id)
    this.items.delete(id)
    this.gone.push(`/files/${id}`)
  }

  purgeAsset(id: string): void {
    this.#forgetUploadsFor(id)
    this.assets.delete(id)
    this.gone.push(`/game/assets/${id}`)
  }

  #forgetUploadsFor(target: string): void {
    for (const uploads of [this.uploads, this.ended])
      for (const [id, upload] of [...uploads]) if (upload.target === target) uploads.delete(id)
  }

  /** An upload has brought what it was for, or has failed. */
  endUpload({ id }: OpenUpload, state: 'completed' | 'failed', target: string): void {
    this.uploads.delete(id)
    this.ended.set(id, { state, target })
  }

  /** Forgets an upload that has been aborted or has expired, with the file that it was to bring. */
  forgetUpload({ id, purpose, target }: OpenUpload): void {
    this.uploads.delete(id)
    this.gone.push(`/uploads/${id}`)
    if (target !== undefined && purpose !== 'replacement' && purpose !== 'version') this.purge(target)
  }

  get unread(): number {
    return this.inbox.filter(({ state }) => state === 'unread').length
  }

  /** What counts in the quota. */
  get used_bytes(): number {
    const files = [...this.items.values()]
      .filter(({ record }) => record.processing_state === 'ready')
      .map(({ record }) => record.size_bytes)
    const uploads = [...this.uploads.values()].map(({ content }) => content.size_bytes)
    const versions = [...this.assets.values()].flatMap((asset) =>
      [...new Set(asset.versions.map(({ content }) => content))].map(({ size_bytes }) => size_bytes),
    )
    return [...files, ...uploads, ...versions].reduce((sum, bytes) => sum + bytes, 0)
  }

  /** Does what deletes for good, and notes what the job may still have to release. */
  owing(since: number, change: () => void): void {
    const before = this.used_bytes
    change()
    const bytes = before - this.used_bytes
    if (bytes > 0) this.owed.push({ bytes, since })
  }

  /** All of it as the service has to show it. */
  view(): View {
    const view: View = new Map()
    for (const { record, isTrashed } of this.items.values())
      if (isTrashed) view.set(`in the trash ${record.id}`, record)
      else if (this.isLive(record.id)) view.set(`file ${record.id}`, record)
    for (const share of this.shares.values())
      if (this.isLive(share.file_id)) view.set(`share ${share.id}`, share)
    for (const { record, versions, isDeleted } of this.assets.values()) {
      view.set(`${isDeleted ? 'deleted asset' : 'asset'} ${record.id}`, record)
      if (!isDeleted)
        for (const version of versions)
          view.set(`version ${version.record.version} of ${record.id}`, version.record)
    }
    for (const [index, notification] of this.inbox.entries())
      view.set(`notification ${this.inbox.length - index}`, notification)
    view.set('unread', this.unread)
    for (const { id } of this.uploads.values()) view.set(`upload ${id}`, 'open')
    for (const [id, { state }] of this.ended) view.set(`upload ${id}`, state)
    return view
  }
}
