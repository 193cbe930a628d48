import type { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { Channel, Channels, Updates } from '../../src/features/assets/release-schema.ts'
import * as assets from '../../src/features/assets/schema.ts'
import { AssetUrls, Version, VersionPage, VersionUrl } from '../../src/features/assets/version-schema.ts'
import * as uploads from '../../src/features/uploads/schema.ts'
import { type Answer, made } from './answer.ts'
import { databaseOf } from './databases.ts'
import { newIdentity, tokenFor } from './identities.ts'
import { png } from './pictures.ts'
import { Upload } from './records.ts'
import type { Fetch } from './service.ts'
import { id, operator, put, User } from './user.ts'

type GameAsset = z.output<typeof assets.GameAsset>
const [, CompletedAsset] = uploads.CompletedUpload.options

/** The answer about one of several assets. */
interface AssetUrlOrCode {
  asset_id: string
  version?: number | undefined
  url?: string
  expires_at?: number
  code?: string
}

/** A new user with the methods of a Creator. */
export async function signUpCreator(name = 'creator', service?: Fetch): Promise<Creator> {
  const { id, token } = await newIdentity(name)
  return new Creator(id, token, service)
}

/** The same user with a token whose claim `max_rating` is this, whatever it is. */
export async function boundedTo(user: User, max_rating: unknown, service?: Fetch): Promise<Creator> {
  return new Creator(user.id, await tokenFor(user.id, { max_rating }), service)
}

/** Rates an asset as a moderator does: no lower rating is possible from now on. `null`: any is. */
export async function lockRating(asset: { id: string }, rating: string | null): Promise<void> {
  const sql =
    'UPDATE game_assets SET rating = coalesce(?2, rating), rating_locked = ?2, revision = revision + 1 WHERE id = ?1'
  await databaseOf(asset.id).prepare(sql).bind(asset.id, rating).run()
}

/** Makes an asset an hour older, so that later changes have later times without a wait. */
export async function aged(asset: { id: string }): Promise<void> {
  const older = `UPDATE game_assets SET created_at = created_at - 3600, updated_at = updated_at - 3600,
    unseen_updated_at = unseen_updated_at - 3600 WHERE id = ?`
  await databaseOf(asset.id).prepare(older).bind(asset.id).run()
}

/** An asset as lists have it. */
export function summaryOf(asset: unknown): z.output<typeof assets.GameAssetSummary> {
  const { description, metadata, ...summary } = assets.GameAsset.parse(asset)
  return summary
}

/** Gives a user a quota of their own. */
export async function giveQuota(user: User, limit_bytes: number | null): Promise<void> {
  const admin = await operator('quota:write')
  const answer = await admin.request('PUT', `/users/${user.id}/quota`, { json: { limit_bytes } })
  expect(answer.status, answer.text).toBe(200)
}

/** A user who publishes game assets. Each method is one action of a client. */
export class Creator extends User {
  createAsset(json: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', '/game/assets', { json, headers })
  }

  /** Creates an asset without content. Fails unless it succeeds. */
  async emptyAsset(name = 'asset', declared: Record<string, unknown> = {}): Promise<GameAsset> {
    return made(assets.GameAsset, await this.createAsset({ name, type: 'world', ...declared }), 201)
  }

  /** Uploads content to a new asset, or as a new version, the whole way. Fails unless it succeeds. */
  async publish(declared: Record<string, unknown>, content = 'content') {
    const bytes = new TextEncoder().encode(content)
    const body = {
      upload_type: 'game_asset',
      size_bytes: bytes.length,
      mime_type: 'application/octet-stream',
      ...declared,
    }
    const upload = made(Upload, await this.startUpload(body), 201)
    expect((await put(upload, bytes)).status).toBe(200)
    return made(CompletedAsset, await this.complete(upload), 200)
  }

  /** A new asset with one version. */
  async asset(name = 'asset', declared: Record<string, unknown> = {}, content?: string): Promise<GameAsset> {
    return (await this.publish({ name, asset_type: 'world', ...declared }, content)).asset
  }

  /** A new version of an asset. */
  async version(asset: string | { id: string }, content?: string) {
    return (await this.publish({ asset_id: id(asset) }, content)).version
  }

  readAsset(asset: string | { id: string }): Promise<Answer> {
    return this.get(`/game/assets/${id(asset)}`)
  }

  editAsset(
    asset: string | { id: string },
    json: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.request('PUT', `/game/assets/${id(asset)}`, { json, headers })
  }

  deleteAsset(asset: string | { id: string }, query = '', headers?: Record<string, string>): Promise<Answer> {
    return this.request('DELETE', `/game/assets/${id(asset)}${query}`, { headers })
  }

  /** The ETag of an asset. */
  async tagOf(asset: string | { id: string }): Promise<string> {
    return (await this.readAsset(asset)).headers.get('ETag') ?? 'none'
  }

  restoreAsset(asset: string | { id: string }, json?: unknown): Promise<Answer> {
    return this.request('POST', `/game/assets/${id(asset)}/restore`, { json })
  }

  branch(asset: string | { id: string }, json: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', `/game/assets/${id(asset)}/branch`, { json, headers })
  }

  /** Branches an asset. Fails unless it succeeds. */
  async branched(asset: string | { id: string }, name = 'branch') {
    return made(assets.Branch, await this.branch(asset, { name }), 201)
  }

  /** Adds an asset to the favorites. */
  favor(asset: string | { id: string }): Promise<Answer> {
    return this.request('PUT', `/game/assets/${id(asset)}/favorite`)
  }

  /** Takes an asset out of the favorites. */
  unfavor(asset: string | { id: string }): Promise<Answer> {
    return this.request('DELETE', `/game/assets/${id(asset)}/favorite`)
  }

  setPreview(
    asset: string | { id: string },
    picture: BodyInit,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.request('PUT', `/game/assets/${id(asset)}/preview`, { body: picture, headers })
  }

  /** Sets the preview of an asset. Fails unless it succeeds. */
  async previewed(asset: string | { id: string }, picture: Uint8Array = png): Promise<GameAsset> {
    return made(assets.GameAsset, await this.setPreview(asset, picture), 200)
  }

  deletePreview(asset: string | { id: string }, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('DELETE', `/game/assets/${id(asset)}/preview`, { headers })
  }

  /** The `preview_url` of an asset that the user can read. Fails unless it succeeds. */
  async previewUrl(asset: string | { id: string }): Promise<string | null> {
    return made(assets.GameAssetWithVersions, await this.readAsset(asset), 200).preview_url
  }

  rollBack(asset: string | { id: string }, json: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', `/game/assets/${id(asset)}/versions`, { json, headers })
  }

  deleteVersion(
    asset: string | { id: string },
    version: number | string,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.request('DELETE', `/game/assets/${id(asset)}/versions/${version}`, { headers })
  }

  /** Has a channel of an asset serve a version. */
  putChannel(
    asset: string | { id: string },
    channel: string,
    version: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.request('PUT', `/game/assets/${id(asset)}/channels/${channel}`, {
      json: { version },
      headers,
    })
  }

  /** The same. Fails unless it succeeds. */
  async release(asset: string | { id: string }, version: number, channel = 'live') {
    return made(Channel, await this.putChannel(asset, channel, version), 200)
  }

  /** The channels of an asset, by name. */
  async channels(asset: string | { id: string }) {
    return made(Channels, await this.get(`/game/assets/${id(asset)}/channels`), 200).channels
  }

  deleteChannel(
    asset: string | { id: string },
    channel: string,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.request('DELETE', `/game/assets/${id(asset)}/channels/${channel}`, { headers })
  }

  editVersion(
    asset: string | { id: string },
    version: number | string,
    json: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.request('PATCH', `/game/assets/${id(asset)}/versions/${version}`, { json, headers })
  }

  /** The updates of assets, or the codes of errors. Fails unless it succeeds. */
  async updates(items: { asset_id: string; version: number; channel_key?: string }[], build?: number) {
    const answer = await this.request('POST', '/game/updates', { json: { items, build } })
    return made(Updates, answer, 200).updates
  }

  /** A page of assets under /v1/game. */
  async assets(path: string) {
    return made(assets.GameAssetPage, await this.get(`/game${path}`), 200)
  }

  /** The names in a list of assets, page by page, in its order. */
  async assetNames(path: string, limit = 100): Promise<string[]> {
    const names: string[] = []
    let cursor: string | null = null
    do {
      const query: string = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
      const page: z.output<typeof assets.GameAssetPage> = await this.assets(path + query)
      names.push(...page.assets.map(({ name }) => name))
      cursor = page.next_cursor
    } while (cursor)
    return names
  }

  /** The names of an asset's branches. */
  async branchNames(asset: string | { id: string }): Promise<string[]> {
    const answer = await this.get(`/game/assets/${id(asset)}/branches?limit=100`)
    return made(assets.BranchPage, answer, 200).branches.map(({ name }) => name)
  }

  /** The numbers of an asset's versions, newest first. */
  async versions(asset: string | { id: string }): Promise<number[]> {
    const answer = await this.get(`/game/assets/${id(asset)}/versions?limit=100`)
    return made(VersionPage, answer, 200).versions.map(({ version }) => version)
  }

  async readVersion(asset: string | { id: string }, version: number) {
    return made(Version, await this.get(`/game/assets/${id(asset)}/versions/${version}`), 200)
  }

  /** Starts an upload of three bytes for a game asset. */
  startContent(declared: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer> {
    const content = { upload_type: 'game_asset', size_bytes: 3, mime_type: 'application/octet-stream' }
    return this.startUpload({ ...content, ...declared }, headers)
  }

  /** Starts an upload for a game asset and sends what it declared, without completing it. Fails unless both succeed. */
  async sent(declared: Record<string, unknown>, content = 'new'): Promise<Upload> {
    const bytes = new TextEncoder().encode(content)
    const upload = made(Upload, await this.startContent({ size_bytes: bytes.length, ...declared }), 201)
    expect((await put(upload, bytes)).status).toBe(200)
    return upload
  }

  /** The URLs of assets, or the codes of errors. Fails unless it succeeds. */
  async assetUrls(
    items: { asset_id: string; version?: number; channel_key?: string; build?: number; platform?: string }[],
  ) {
    const answer = await this.request('POST', '/game/urls', { json: { items } })
    return made(AssetUrls, answer, 200).urls.map((one): AssetUrlOrCode => one)
  }

  /** Adds the content of a version for a platform. Fails unless it succeeds. Answers the version. */
  async variant(asset: string | { id: string }, version: number, platform: string, content?: string) {
    return (await this.publish({ asset_id: id(asset), version, platform }, content)).version
  }

  deleteVariant(
    asset: string | { id: string },
    version: number | string,
    platform: string,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const path = `/game/assets/${id(asset)}/versions/${version}/variants/${encodeURIComponent(platform)}`
    return this.request('DELETE', path, { headers })
  }

  /** The answer with the URL of a version, its own or that for a platform. */
  urlOf(asset: string | { id: string }, version: number, platform?: string): Promise<Answer> {
    const query = platform === undefined ? '' : `?platform=${encodeURIComponent(platform)}`
    return this.get(`/game/assets/${id(asset)}/versions/${version}/url${query}`)
  }

  /** The content of a version, its own or that for a platform, downloaded the way a client does. */
  async contentOf(asset: string | { id: string }, version: number, platform?: string): Promise<string> {
    const { url } = made(VersionUrl, await this.urlOf(asset, version, platform), 200)
    return (await this.fetchSigned(url)).text()
  }
}
