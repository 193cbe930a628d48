import { bodyOf, bodyWithEtag, type WithEtag } from './answers.ts'
import { type BytesSource, bytesOf } from './bytes.ts'
import { type DownloadOptions, download } from './download.ts'
import type { InstalledAsset, InstalledContent } from './installed/content.ts'
import type { InstalledVersion } from './installed/store.ts'
import { findUpdates, itemsOf, type UpdateOptions, type UpdateResult } from './installed/update.ts'
import { type AssetsOperations, assetsOf } from './operations.ts'
import type { ChangeOptions, RequestOptions } from './options.ts'
import type { AssetChannel, AssetVersion, GameAsset, GameAssetWithVersions } from './records.ts'
import { checkNames, type Transport } from './transport.ts'
import type { AssetContent, UploadOptions } from './upload/options.ts'
import type { Uploader } from './upload/upload.ts'

/** A version of an asset whose content has arrived, and its asset. */
export interface UploadedAsset {
  asset: GameAsset
  version: AssetVersion
}

/** A picture, and its asset. */
export interface Preview {
  /** The asset. */
  id: string
  /** The picture: a PNG, JPEG or WebP of at most 1 MiB. */
  content: BytesSource
  mime_type: string
}

/** Game assets of the user: worlds, avatars and props, with their versions. */
export interface Assets extends AssetsOperations {
  /** Get an asset with its ten newest versions. The asset is the caller’s own, or public. Others than its owner get it as of the channel `live`, if there is one. */
  get(
    given: { id: string; channel_key?: undefined },
    options?: RequestOptions,
  ): Promise<WithEtag<GameAssetWithVersions>>
  /** Get an asset as of the channel with a key. It has no ETag. */
  get(
    given: { id: string; channel_key?: string | undefined },
    options?: RequestOptions,
  ): Promise<GameAssetWithVersions>
  /**
   * Uploads a new asset, with `asset_id` the next version of one, or with `version` and `platform` too content of that version for a
   * platform. With the option `uploadId`, resumes an interrupted upload of
   * the same content.
   *
   * @example
   * const { asset } = await client.assets.upload({ content: blob, asset_type: 'world', name: 'Castle' })
   *
   * @throws ServiceError, NetworkError; StorageError when storage rejects the content; the reason of `signal`
   */
  upload(given: AssetContent, options?: UploadOptions): Promise<UploadedAsset>
  /**
   * Downloads a version of an asset. Returns a `Response` whose body has not been read.
   *
   * @throws ServiceError, NetworkError; StorageError when storage rejects the request; the reason of `signal`
   */
  download(
    given: {
      id: string
      version: number
      /** The platform that content is wanted for. Without it: the version's own content. */
      platform?: string
      /** The key of a channel, up to whose version everybody who has it may read. */
      channel_key?: string
    },
    options?: DownloadOptions,
  ): Promise<Response>
  /** Has everybody get a version of an asset of the user: sets the channel `live`. */
  release(given: { id: string; version: number }, options?: ChangeOptions): Promise<AssetChannel>
  /**
   * Brings what a device has of assets up to date. Given a list, says what is newer; given a place for content, downloads it too: what is
   * cut off goes on, also after a restart, and a version takes the place of the old one when its checksum is right. What has no update
   * is in `refused`, and stays as it is.
   *
   * @example
   * const worlds = indexedDbContent() // of `edge-game-storage-client/installed`; `folderContent` of `…/node`
   * const { updates, refused } = await client.assets.update(worlds, { platform: 'windows', assets: [{ asset_id }] })
   *
   * @throws ServiceError, NetworkError: what was installed until then stays, and the next call goes on; the reason of `signal`
   */
  update(
    installed: InstalledContent | readonly Pick<InstalledVersion, 'asset_id' | 'version'>[],
    options?: UpdateOptions,
  ): Promise<UpdateResult>
  /** Lists what a device has of assets, whole, with its content. Needs no network. */
  installed(content: InstalledContent): Promise<InstalledAsset[]>
  /** Set the preview of an asset: a PNG, JPEG or WebP picture of at most 1 MiB, told by its bytes. */
  setPreview(given: Preview, options?: ChangeOptions): Promise<WithEtag<GameAsset>>
}

/** Assets with their content. */
export function assetsWithContent(transport: Transport, upload: Uploader): Assets {
  const operations = assetsOf(transport)
  type AsOf<Key> = { id: string; channel_key?: Key }
  function get(given: AsOf<undefined>, options?: RequestOptions): Promise<WithEtag<GameAssetWithVersions>>
  function get(given: AsOf<string | undefined>, options?: RequestOptions): Promise<GameAssetWithVersions>
  function get(given: AsOf<string | undefined>, options?: RequestOptions): Promise<GameAssetWithVersions> {
    const answer = transport.repeatable('GET', '/v1/game/assets/{id}', given, options)
    return given.channel_key === undefined ? bodyWithEtag(answer) : bodyOf(answer)
  }
  const source = {
    ask: operations.getUpdates,
    url: async (given: Parameters<typeof operations.getUrl>[0], options: RequestOptions) =>
      (await operations.getUrl(given, options)).url,
    fetch: (request: Request) => (transport.ownFetch ?? fetch)(request),
    backoff: transport.backoff,
    timeoutMs: transport.timeoutMs,
  }
  return {
    ...operations,
    get,
    async upload(given, options) {
      const { asset, version } = await upload({ ...given, upload_type: 'game_asset' }, options)
      return { asset, version }
    },
    download: (given, options) =>
      download(transport, (options) => operations.getUrl(given, options), options),
    release: ({ id, version }, options) => operations.setChannel({ id, version, channel: 'live' }, options),
    async update(installed, options = {}) {
      checkNames({}, options)
      return 'update' in installed
        ? installed.update(source, options)
        : findUpdates(source.ask, itemsOf(installed, options), options)
    },
    installed: (content) => content.list(),
    async setPreview({ id, content, mime_type }, options) {
      const bytes = { content: bytesOf(content), mime_type }
      return bodyWithEtag(transport.repeatable('PUT', '/v1/game/assets/{id}/preview', { id }, options, bytes))
    },
  }
}
