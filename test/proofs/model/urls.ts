import { z } from '@hono/zod-openapi'
import type { Answer } from '../../support/exchange.ts'
import { type Act, agrees, type Command, type Draw, lost, type Requests } from './act.ts'
import { anyAsset } from './any-asset.ts'
import {
  contentFor,
  currentVersion,
  readableAs,
  servedVersion,
  versionOf,
  versionServed,
} from './asset-record.ts'
import { drawChannelKey } from './channels.ts'
import { anItem, aPlayer } from './choose.ts'
import { expectSigned } from './content.ts'
import { platforms } from './declaring.ts'
import { now, type World } from './state.ts'
import { sight } from './tree.ts'

/** Asked for beside what there may be. */
const NO_ID = 'x'

export const downloadUrls: Command = {
  operation: 'getDownloadUrls',
  writes: false,
  draw: (world, draw) => {
    const targets = someOf(draw, () => anItem(world, draw))
    const user = draw.chance(30) ? aPlayer(world, draw) : (targets[0]?.user ?? aPlayer(world, draw))
    return asksForUrls(user, [...targets.map(({ id }) => id), NO_ID])
  },
}

function asksForUrls(user: string, ids: string[]): Act<Requests> {
  return {
    says: `${user} asks for the URLs of ${ids}`,
    send: (service) => service.request(user, 'POST', '/files/urls', { json: { ids } }),
    judge: (world, answer) =>
      judgeUrls(
        world,
        answer,
        ids.map((id) => {
          const item = sight(world, user, id)?.item
          if (!item) return { id, code: 'FILE_NOT_FOUND' }
          if (item.asset_type === 'folder') return { id, code: 'FILE_IS_FOLDER' }
          if (item.processing_state !== 'ready') return { id, code: 'FILE_NOT_READY' }
          return { id, content: item.content }
        }),
      ),
  }
}

/** An item of a request for URLs. */
interface Wanted {
  asset_id: string
  version?: number
  build?: number
  platform?: string
  channel_key?: string
}

export const assetUrls: Command = {
  operation: 'getAssetUrls',
  writes: false,
  draw: (world, draw) => {
    const targets = someOf(draw, () => anyAsset(world, draw))
    const items = targets.map(({ id }): Wanted => {
      const [version, build] = [draw.one(undefined, 1, 2, 7), draw.one(undefined, 1, 5, 8)]
      const [platform, channel_key] = [draw.of([undefined, ...platforms]), drawChannelKey(world, id, draw)]
      return {
        asset_id: id,
        ...(version !== undefined && { version }),
        ...(version === undefined && build !== undefined && { build }),
        ...(platform !== undefined && { platform }),
        ...(channel_key !== undefined && { channel_key }),
      }
    })
    return asksForAssetUrls(targets[0]?.user ?? aPlayer(world, draw), [...items, { asset_id: NO_ID }])
  },
}

function asksForAssetUrls(user: string, items: Wanted[]): Act<Requests> {
  return {
    says: `${user} asks for the URLs of ${JSON.stringify(items)}`,
    send: (service) => service.request(user, 'POST', '/game/urls', { json: { items } }),
    judge: (world, answer) =>
      judgeUrls(
        world,
        answer,
        items.map((item) => {
          const { asset_id } = item
          const served = servedTo(world, user, item)
          if (typeof served !== 'string') return { asset_id, ...served }
          const version = item.version ?? missing(world, user, item, served)
          return { asset_id, ...(version !== undefined && { version }), code: served }
        }),
      ),
  }
}

/** The number that an error names although the item does not: that of the version which is not there. */
function missing(world: World, user: string, { asset_id, build, channel_key }: Wanted, code: string) {
  const asset = readableAs(world, user, asset_id, channel_key)
  if (code !== 'VERSION_NOT_FOUND' || build !== undefined || typeof asset === 'string') return undefined
  return channel_key === undefined
    ? servedVersion(world.assets.get(asset_id) ?? asset)
    : currentVersion(asset)
}

/** The content that a user gets for an item, or why there is none. */
export function servedTo(
  world: World,
  user: string,
  { asset_id, version, build, platform, channel_key }: Wanted,
) {
  const asset = readableAs(world, user, asset_id, channel_key)
  if (typeof asset === 'string') return asset
  const ceiling =
    channel_key === undefined ? servedVersion(world.assets.get(asset_id) ?? asset) : currentVersion(asset)
  const found = version === undefined ? versionServed(asset, ceiling, build) : versionOf(asset, version)
  return found ? (contentFor(found, platform) ?? 'VARIANT_NOT_FOUND') : 'VERSION_NOT_FOUND'
}

/** What an answer about one of many has to be: `content` is what a URL leads to. */
type Expected = object & { content?: string | null }

const Urls = z.object({ urls: z.array(z.object({ url: z.string().optional() })) })

function judgeUrls(world: World, answer: Answer, expected: Expected[]): void {
  if (answer === lost) return
  const { urls } = Urls.parse(answer.body)
  const expires_at = now(world) + world.limits.DOWNLOAD_URL_TTL
  agrees(answer, 200, {
    urls: expected.map(({ content, ...named }, index) =>
      content === undefined ? named : { ...named, url: urls[index]?.url, expires_at },
    ),
  })
  expected.forEach(({ content }, index) => {
    if (content !== undefined) expectSigned(world, urls[index]?.url ?? '', content, expires_at)
  })
}

/** One to three of something, the first sometimes twice. */
function someOf<Thing>(draw: Draw, one: () => Thing): Thing[] {
  const things = Array.from({ length: 1 + draw.below(3) }, one)
  const [first] = things
  return first !== undefined && draw.chance(20) ? [...things, first] : things
}
