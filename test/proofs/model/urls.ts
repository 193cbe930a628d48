import { z } from '@hono/zod-openapi'
import type { Answer } from '../../support/exchange.ts'
import { type Act, agrees, type Command, type Draw, lost, type Requests } from './act.ts'
import { anyAsset } from './any-asset.ts'
import { currentVersion, readable, versionOf } from './asset-record.ts'
import { anItem, aPlayer } from './choose.ts'
import { expectSigned } from './content.ts'
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

interface Wanted {
  asset_id: string
  version?: number
}

export const assetUrls: Command = {
  operation: 'getAssetUrls',
  writes: false,
  draw: (world, draw) => {
    const targets = someOf(draw, () => anyAsset(world, draw))
    const items = targets.map(({ id }): Wanted => {
      const version = draw.one(undefined, 1, 2, 7)
      return version === undefined ? { asset_id: id } : { asset_id: id, version }
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
          const asset = readable(world, user, item.asset_id)
          if (!asset) return { ...item, code: 'ASSET_NOT_FOUND' }
          const version = item.version ?? currentVersion(asset)
          const found = versionOf(asset, version)
          const named = { asset_id: item.asset_id, version }
          return found ? { ...named, content: found.content } : { ...named, code: 'VERSION_NOT_FOUND' }
        }),
      ),
  }
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
