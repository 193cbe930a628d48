import { ContentDamagedError, GameStorageError, NetworkError, ServiceError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import { abortReason } from '../retry.ts'
import { exclusively } from '../saves/offline/locks.ts'
import { checksumOf, seekable, sourceOf } from '../upload/content.ts'
import { type ContentSource, receive } from './receive.ts'
import { type ContentStore, type InstalledVersion, keyOf } from './store.ts'
import { type AskForUpdates, findUpdates, itemsOf, type UpdateOptions, type UpdateResult } from './update.ts'

/** Where updates come from: the service. */
export interface UpdateSource extends Omit<ContentSource, 'url'> {
  ask: AskForUpdates
  /** A signed URL of the content of a version. */
  url(
    given: { id: string; version: number; platform?: string; channel_key?: string },
    options: RequestOptions,
  ): Promise<string>
}

/** A version of an asset that a device has, with its content. */
export interface InstalledAsset extends InstalledVersion {
  /**
   * Its content. The first call after a start computes its checksum, which takes a second for a hundred megabytes.
   *
   * @throws ContentDamagedError when the device has other bytes, or none any more; the next update downloads it again
   */
  content(): Promise<Blob>
}

/** The owner of locks that objects over one store have in common. */
const locks = {}

/**
 * The content that a device has of assets, in a store. A store may have several of these, in several pages, too: content is downloaded
 * by one at a time where there are Web Locks, and elsewhere in one process.
 */
export class InstalledContent {
  readonly #store: ContentStore
  /** The keys of content that was found whole since the start. */
  readonly #verified = new Set<string>()

  constructor(store: ContentStore) {
    this.#store = store
  }

  /** Lists what the device has, whole. Needs no network. */
  async list(): Promise<InstalledAsset[]> {
    const rows = await this.#store.list()
    const whole = await Promise.all(rows.map((row) => this.#isWhole(row)))
    return rows
      .filter((_, index) => whole[index])
      .map((row) => ({ ...row, content: () => this.#content(row) }))
  }

  /** Removes an asset from the device. */
  remove({ asset_id }: { asset_id: string }): Promise<void> {
    return this.#inTurn(() => this.#store.remove(asset_id))
  }

  /** Installs what is newer. `client.assets.update` calls it. */
  async update(source: UpdateSource, options: UpdateOptions): Promise<UpdateResult> {
    const rows = await this.#store.list()
    const whole = await Promise.all(rows.map((row) => this.#isWhole(row)))
    const items = itemsOf(
      rows.map(({ asset_id, version }, index) => ({ asset_id, version: whole[index] ? version : 0 })),
      options,
    )
    const { updates, refused } = await findUpdates(source.ask, items, options)
    const keys = new Map(items.map(({ asset_id, channel_key }) => [asset_id, channel_key]))
    const installed: InstalledVersion[] = []
    for (const { asset_id, version, platform, checksum_sha256, size_bytes } of updates) {
      const update = { asset_id, version, platform, checksum_sha256, size_bytes }
      try {
        await this.#install(update, source, keys.get(asset_id), options)
        installed.push(update)
      } catch (error) {
        if (!isOfOneAsset(error)) throw error
        refused.push({ asset_id, code: error.code })
      }
    }
    return { updates: installed, refused }
  }

  #isWhole = async (row: InstalledVersion) => (await this.#store.sizeOf(keyOf(row))) === row.size_bytes

  async #content(row: InstalledVersion): Promise<Blob> {
    const key = keyOf(row)
    const content = await this.#store.read(key)
    if (content?.size === row.size_bytes) {
      if (row.checksum_sha256 === null || this.#verified.has(key)) return content
      const checksum = await checksumOf(sourceOf(seekable(content)), undefined).catch(() => undefined)
      if (checksum === row.checksum_sha256) {
        this.#verified.add(key)
        return content
      }
    }
    if (content) await this.#store.discard(row)
    throw new ContentDamagedError(row.asset_id)
  }

  /** Downloads the content of a version, unless the device has it, and puts it in place of what is installed. */
  #install(
    update: InstalledVersion,
    source: UpdateSource,
    channel_key: string | undefined,
    options: UpdateOptions,
  ): Promise<void> {
    const key = keyOf(update)
    return exclusively(locks, `${this.#store.name}/${update.asset_id}`, async () => {
      const { signal } = options
      if (signal?.aborted) throw abortReason(signal) // while somebody else had the lock
      const { asset_id: id, version, platform, size_bytes } = update
      if ((await this.#store.sizeOf(key)) !== size_bytes) {
        const given = {
          id,
          version,
          ...(platform !== null && { platform }),
          ...(channel_key !== undefined && { channel_key }),
        }
        await receive(
          this.#store,
          update,
          { ...source, url: (options) => source.url(given, options) },
          options,
        )
        this.#verified.add(key)
      }
      await this.#inTurn(() => this.#store.install(update))
    })
  }

  /** Changes of what is installed follow each other: each asks which content the others have. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    return exclusively(locks, this.#store.name, change)
  }
}

/** Whether the next asset may be updated all the same. */
function isOfOneAsset(error: unknown): error is GameStorageError {
  if (!(error instanceof GameStorageError) || error instanceof NetworkError) return false
  return !(error instanceof ServiceError) || error.status === 404
}
