import type { Act } from './act.ts'
import { asksForPart, rightContent, sendsContent } from './arriving.ts'
import { createsContent } from './at-once.ts'
import type { BoundService } from './bound-service.ts'
import { branches } from './branching.ts'
import { setsChannel } from './channels.ts'
import { completesUpload } from './completing.ts'
import { CHECKED_TYPE, picture } from './content.ts'
import type { Declared } from './declaring.ts'
import { changesFile, createsFolder, deletesFile } from './files.ts'
import { createsAsset, deletesAsset } from './game-assets.ts'
import { publishes } from './notifications.ts'
import { setsProfile } from './profiles.ts'
import { setsQuota } from './quota.ts'
import { createsShare } from './shares.ts'
import type { World } from './state.ts'
import { act } from './story.ts'
import { startsUpload } from './uploads.ts'

const content = { size_bytes: 10, mime_type: 'text/plain' }
const checked = { ...content, mime_type: CHECKED_TYPE }

/** Furnishes a world with some of everything, so that little is missing for whatever is done next. */
export async function furnish(world: World, service: BoundService): Promise<void> {
  const scene = new Scene(world, service)
  const [ann = '', bob = '', eve = ''] = world.players
  for (const player of world.players) {
    await scene.does(setsQuota(world.operator, player, 400))
    await scene.does(publishes(world.operator, notice(player, 1)))
    await scene.does(publishes(world.operator, notice(player, 2)))
  }
  const maps = await scene.folder(ann, 'a', null)
  const inner = await scene.folder(ann, 'B', maps)
  const old = await scene.folder(ann, 'c c', null)
  await scene.does(changesFile(ann, maps, { is_public: true }))
  const file = await scene.file(ann, 'b', inner)
  const other = await scene.file(bob, 'a', null)
  await scene.does(setsProfile(bob, await scene.picture(bob, 'B')))
  const deleted = await scene.file(ann, 'Ä', old)
  await scene.does(createsShare(ann, file, { grantee_id: bob, permission: 'view', expires_at: null }))
  await scene.does(createsShare(bob, other, { grantee_id: ann, permission: 'edit', expires_at: null }))
  await scene.does(deletesFile(ann, deleted))
  await scene.does(deletesFile(ann, old))
  const castle = await scene.asset(ann, 'a', 'public')
  const second = await scene.asset(bob, 'B', 'private')
  const version = { upload_type: 'game_asset' as const, asset_id: castle, ...checked }
  await scene.does(completesUpload(ann, await scene.sent(ann, version)))
  const variant = { upload_type: 'game_asset' as const, asset_id: castle, version: 1, platform: 'web' }
  await scene.does(completesUpload(ann, await scene.sent(ann, { ...variant, ...content })))
  await scene.does(setsChannel(ann, castle, 'live', 1))
  await scene.does(setsChannel(ann, castle, 'beta', 1))
  await scene.does(branches(bob, castle, { name: 'b' }, 'scene-branch'))
  await scene.does(deletesAsset(bob, second, false))
  await scene.sent(ann, { upload_type: 'file', file_id: file, ...content })
  const open = { upload_type: 'file' as const, parent_id: null, ...content }
  const waiting = { ...open, name: 'Käse 100%', ...checked }
  await scene.does(completesUpload(eve, await scene.sent(eve, waiting)))
  await scene.does(startsUpload(bob, { ...open, name: 'c c', size_bytes: 60 }))
  for (const player of world.players) await scene.does(startsUpload(player, { ...open, name: 'ß' }))
}

function notice(user_id: string, from_user_id: number) {
  return { user_id, type: 'friend_request', data: { from_user_id, from_display_name: 'Eve' } }
}

/** What is done to furnish a world, and the ids of what comes of it. */
export class Scene {
  readonly world: World
  readonly #service: BoundService

  constructor(world: World, service: BoundService) {
    this.world = world
    this.#service = service
  }

  async does(what: Act): Promise<void> {
    this.world.now_ms += 1
    await act(this.world, this.#service, what)
    if (what.key !== undefined) this.world.keyed.push(what)
  }

  async folder(user: string, name: string, parent_id: string | null): Promise<string> {
    return this.#new(this.world.items, createsFolder(user, name, parent_id, `scene-${this.world.now_ms}`))
  }

  async file(user: string, name: string, parent_id: string | null): Promise<string> {
    const declared = { upload_type: 'file' as const, name, asset_type: 'file', parent_id, ...content }
    const upload = await this.sent(user, declared)
    await this.does(completesUpload(user, upload))
    return this.world.uploads.get(upload)?.file_id ?? ''
  }

  /** A file of five bytes, which came in one request. */
  async text(user: string): Promise<string> {
    return this.#new(
      this.world.items,
      createsContent(user, 'text', null, { content: 'xxxxx', mime_type: 'text/plain' }),
    )
  }

  async picture(user: string, name: string): Promise<string> {
    const gif = { size_bytes: picture.length, mime_type: 'image/gif' }
    const declared = {
      upload_type: 'file' as const,
      name,
      asset_type: 'profile_pic',
      parent_id: null,
      ...gif,
    }
    const upload = await this.sent(user, declared)
    await this.does(completesUpload(user, upload))
    return this.world.uploads.get(upload)?.file_id ?? ''
  }

  async asset(user: string, name: string, visibility: string): Promise<string> {
    const declared = { upload_type: 'game_asset' as const, name, asset_type: 'world', visibility, ...content }
    const upload = await this.sent(user, declared)
    return this.#new(this.world.assets, completesUpload(user, upload))
  }

  emptyAsset(user: string, name: string): Promise<string> {
    return this.#new(this.world.assets, createsAsset(user, { name, type: 'world', visibility: 'private' }))
  }

  /** An upload whose content has arrived. */
  async sent(user: string, declared: Declared): Promise<string> {
    const id = await this.#new(this.world.uploads, startsUpload(user, declared))
    const upload = this.world.uploads.get(id)
    if (upload?.in_parts) await this.does(asksForPart(user, id))
    if (upload) await this.does(sendsContent(user, upload, rightContent(upload)))
    return id
  }

  /** What an upload in parts is completed with. */
  partsOf(id: string): { parts?: { part_number: number; etag: string }[] } {
    const etag = this.world.uploads.get(id)?.part.etag
    return etag ? { parts: [{ part_number: 1, etag }] } : {}
  }

  /** The ETag of an item or asset, as it was seen last. */
  etag(id: string): string | undefined {
    const { changes = 0, etags = {} } = this.world.items.get(id) ?? this.world.assets.get(id) ?? {}
    return etags[changes]
  }

  async #new(kind: Map<string, unknown>, what: Act): Promise<string> {
    const before = new Set(kind.keys())
    await this.does(what)
    return [...kind.keys()].find((id) => !before.has(id)) ?? ''
  }
}
