import { type Act, agrees, type Command, refused } from './act.ts'
import { anyAsset } from './any-asset.ts'
import { assetRecord, byNewest, isListed, newestFirst } from './asset-record.ts'
import { aPlayer } from './choose.ts'
import { allPages } from './pages.ts'

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
        const asset = world.assets.get(id)
        if (!asset || !isListed(asset) || asset.type !== type) return refused(answer, 'ASSET_NOT_FOUND')
        agrees(answer, 200, { ...assetRecord(asset), versions: newestFirst(world, user, asset, 1) })
      },
    }
  },
}

const searches = [undefined, 'a', 'B', 'c c', 's', 'c ', 'ase', 'ÄSE', '0%', ' 10', '_00', '"'] as const

export const browseAssets: Command = {
  operation: 'browseAssets',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    return browses(user, draw.of(searches), draw.one(undefined, 'world', 'prop'), draw.one(100, 1, 2))
  },
}

export function browses(user: string, q: string | undefined, type: string | undefined, limit: number): Act {
  return {
    says: `${user} browses for ${q} (${type})`,
    send: (service) =>
      allPages(
        { q, type, limit },
        (query) => service.request(user, 'GET', `/game/public?${query}`),
        'assets',
      ),
    judge: (world, answer) => {
      const found = byNewest(world).filter(
        (asset) => isListed(asset) && (type ?? asset.type) === asset.type && isFound(asset.name, q),
      )
      agrees(answer, 200, { assets: found.map(assetRecord), next_cursor: null })
    },
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
