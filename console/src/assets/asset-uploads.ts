import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { Client, CompletedAsset } from 'edge-game-storage-client'
import { useSyncExternalStore } from 'react'
import { LiveList } from '../controls/live-list.ts'
import { tell } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { ASSETS, type Asset } from './asset.ts'

/** Content of an asset on its way. */
export interface AssetUpload {
  /** The upload's id at the service. */
  id: string
  name: string
  /** undefined: the upload creates the asset. */
  asset_id: string | undefined
  content: File
  sent_bytes: number
  /** Why it stopped; undefined while it goes on. */
  error: unknown
  abort: AbortController
}

/** A new asset, or an asset whose next version this is. */
export type Target = { name: string } & (
  | { asset_id: string }
  | { asset_type: Asset['type']; visibility: Asset['visibility'] }
)

/** The uploads of one pane. They go on when another screen is shown. */
export class AssetUploads extends LiveList<AssetUpload> {
  readonly #client: Client
  readonly #cache: QueryClient

  constructor(client: Client, cache: QueryClient) {
    super()
    this.#client = client
    this.#cache = cache
  }

  /** Begins an upload. Resolves when the service has taken it, rejects when it refuses; the content follows. */
  async begin(content: File, target: Target): Promise<void> {
    const abort = new AbortController()
    const { name } = target
    const asset_id = 'asset_id' in target ? target.asset_id : undefined
    const started = Promise.withResolvers<string>()
    const sent = this.#client.upload(content, {
      ...('asset_id' in target ? { asset_id: target.asset_id } : target),
      upload_type: 'game_asset',
      signal: abort.signal,
      onStarted: ({ id }) => {
        this.set([...this.items(), { id, name, asset_id, content, sent_bytes: 0, error: undefined, abort }])
        started.resolve(id)
      },
      onProgress: ({ upload_id, sent_bytes }) => this.change(upload_id, { sent_bytes }),
    })
    sent.catch(started.reject)
    void this.#follow(await started.promise, abort, sent)
  }

  /** Goes on with an upload that stopped; a new asset may get another name. */
  resume({ id, content }: AssetUpload, name?: string): void {
    const abort = new AbortController()
    this.change(id, { error: undefined, abort, ...(name !== undefined && { name }) })
    const sent = this.#client.upload(content, {
      upload_type: 'game_asset',
      upload_id: id,
      name,
      signal: abort.signal,
      onProgress: ({ sent_bytes }) => this.change(id, { sent_bytes }),
    })
    void this.#follow(id, abort, sent)
  }

  /** Ends an upload, and gives up what it reserves in the quota. */
  async cancel({ id, abort }: AssetUpload): Promise<void> {
    abort.abort()
    this.remove(id)
    await this.#client.abortUpload({ id })
    await this.#cache.invalidateQueries({ queryKey: [ASSETS] })
  }

  async #follow(id: string, { signal }: AbortController, sent: Promise<CompletedAsset>): Promise<void> {
    try {
      const { asset } = await sent
      this.remove(id)
      tell(`${asset.name} has its version ${asset.current_version}.`)
      await this.#cache.invalidateQueries({ queryKey: [ASSETS] })
    } catch (error) {
      if (!signal.aborted) this.change(id, { error })
    }
  }
}

const ofClient = new WeakMap<Client, AssetUploads>()

/** The uploads of assets in this pane, and what begins, resumes and cancels them. */
export function useAssetUploads(): { uploads: readonly AssetUpload[]; desk: AssetUploads } {
  const { client } = useSession()
  const cache = useQueryClient()
  const desk = ofClient.get(client) ?? new AssetUploads(client, cache)
  ofClient.set(client, desk)
  return { uploads: useSyncExternalStore(desk.subscribe, desk.items), desk }
}
