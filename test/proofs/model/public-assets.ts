import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import { type Act, agrees, type Command, type Requests, refused } from './act.ts'
import { anyAsset } from './any-asset.ts'
import {
  asOthers,
  assetRecord,
  assetSummary,
  contentFor,
  isInCatalogue,
  isListed,
  isSeenBy,
  isWithin,
  newestFirst,
  readable,
  servedVersion,
  versionOf,
} from './asset-record.ts'
import { aPlayer } from './choose.ts'
import { platforms } from './declaring.ts'
import { expectEtag } from './etags.ts'
import { allPages } from './pages.ts'
import type { Asset, Rating } from './state.ts'

export const getPublicAsset: Command = {
  operation: 'getPublicAsset',
  writes: false,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    const type = draw.one(world.assets.get(id)?.type ?? 'world', 'avatar')
    return {
      says: `${user} reads public ${type} ${id}`,
      send: (service) => service.request(user, 'GET', `/game/public/${type}/${id}`),
      judge: (world, answer) => {
        const asset = readable(world, user, id)
        if (!asset || !isListed(asset) || asset.type !== type) return refused(answer, 'ASSET_NOT_FOUND')
        const shown = asOthers(world.assets.get(id) ?? asset)
        agrees(answer, 200, { ...assetRecord(shown), versions: newestFirst(world, user, shown, 1) })
        expectEtag(shown, answer)
      },
    }
  },
}

const searches = [undefined, 'a', 'B', 'c c', 's', 'c ', 'ase', 'ÄSE', '0%', ' 10', '_00', '"'] as const

const tags = [undefined, 'horror', 'castle', 'maze', 'none'] as const

export const browseAssets: Command = {
  operation: 'browseAssets',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const q = draw.chance(50) ? draw.of(searches) : undefined
    const sort = draw.one<Browsing['sort']>(undefined, 'published', 'updated', 'popular')
    const [owner, isOfOwner] = [aPlayer(world, draw), draw.chance(20)]
    return browses(user, {
      q,
      type: draw.one(undefined, 'world', 'prop'),
      tag: draw.of(tags),
      exclude_tag: draw.of(tags),
      owner_id: isOfOwner ? owner : undefined,
      max_rating: draw.one<Rating | undefined>(undefined, undefined, 'everyone', 'teen', 'mature'),
      platform: draw.of([undefined, undefined, ...platforms]),
      sort: q === undefined ? sort : undefined,
      limit: draw.one(100, 1, 2),
    })
  },
}

interface Browsing {
  q?: string | undefined
  type?: string | undefined
  tag?: string | undefined
  exclude_tag?: string | undefined
  owner_id?: string | undefined
  max_rating?: Rating | undefined
  platform?: string | undefined
  sort?: 'published' | 'updated' | 'popular' | undefined
  limit: number
}

export function browses(user: string, query: Browsing): Act<Requests> {
  const { sort = 'published' } = query
  return {
    says: `${user} browses for ${JSON.stringify(query)}`,
    send: (service) =>
      allPages(
        { ...query },
        (path) => service.request(user, 'GET', `/game/public?${path}`),
        'assets',
        'pages may be short',
      ),
    judge: (world, answer) => {
      const found = [...world.assets.values()].filter(
        (asset) => isWanted(asset, query) && isSeenBy(user, asset),
      )
      agrees(byId(inOrder(answer, sort)), 200, {
        assets: found
          .sort((one, other) => (one.id < other.id ? -1 : 1))
          .map((asset) => assetSummary(asOthers(asset))),
        next_cursor: null,
      })
    },
  }
}

function isWanted(asset: Asset, query: Browsing): boolean {
  const { q, type, tag, exclude_tag, owner_id, max_rating, platform } = query
  return (
    (platform === undefined || isForPlatform(asset, platform)) &&
    isInCatalogue(asset) &&
    (type ?? asset.type) === asset.type &&
    (tag === undefined || asset.tags.includes(tag)) &&
    (exclude_tag === undefined || !asset.tags.includes(exclude_tag)) &&
    (owner_id ?? asset.owner_id) === asset.owner_id &&
    isWithin(asset, max_rating) &&
    isFound(asset.name, q)
  )
}

/** Whether the version that players get has content for a platform. */
function isForPlatform(asset: Asset, platform: string): boolean {
  const version = versionOf(asset, servedVersion(asset))
  return version !== undefined && contentFor(version, platform) !== undefined
}

const Browsed = z.object({
  assets: z.array(
    z.looseObject({
      id: z.string(),
      published_at: z.int(),
      updated_at: z.int(),
      favorites: z.int(),
    }),
  ),
  next_cursor: z.null(),
})

const keys = {
  published: 'published_at',
  updated: 'updated_at',
  popular: 'favorites',
} as const

/** The answer, whose assets come in the order that was asked for. Nobody is told the order of two that are alike in it. */
function inOrder(answer: Answer, sort: keyof typeof keys): Answer {
  if (answer.status !== 200) return answer
  const order = Browsed.parse(answer.body).assets.map((asset) => {
    const key = asset[keys[sort]]
    return sort === 'popular' ? Math.floor(16 * Math.log2(1 + key) + 1e-9) : key
  })
  expect(order, `in the order ${sort}`).toEqual(order.toSorted((one, other) => other - one))
  return answer
}

function byId(answer: Answer): Answer {
  if (answer.status !== 200) return answer
  const { assets, next_cursor } = Browsed.parse(answer.body)
  return {
    ...answer,
    body: { assets: assets.toSorted((one, other) => (one.id < other.id ? -1 : 1)), next_cursor },
  }
}

/** Case and accents forgiven; what is shorter than three characters is looked for at the beginning. */
function isFound(name: string, q: string | undefined): boolean {
  if (q === undefined) return true
  const [plainName, plain] = [plainly(name), plainly(q)]
  return plain.length < 3 ? plainName.startsWith(plain) : plainName.includes(plain)
}

function plainly(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
}
