import { type FileSort, fileSorts } from '../../../src/features/files/sort.ts'
import { type Act, agrees, type Command, type Requests, refused } from './act.ts'
import { anItem, aPlace, aPlayer } from './choose.ts'
import type { Item } from './files.ts'
import { allPages } from './pages.ts'
import { listedRecord } from './records.ts'
import { inside, isBlocked, shown, sight } from './tree.ts'

export const listFiles: Command = {
  operation: 'listFiles',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const anyFolder = anItem(world, draw, ({ asset_type }) => asset_type === 'folder').id
    const ownPlace = aPlace(world, user, draw)
    const parent_id = draw.chance(30) ? anyFolder : ownPlace
    const sort = draw.of(fileSorts) ?? 'name'
    const order = draw.one(undefined, 'asc' as const, 'desc' as const)
    const asset_type = draw.one(undefined, undefined, 'folder', 'file')
    return listsFiles(user, { parent_id, sort, order, asset_type }, draw.one(100, 1, 2))
  },
}

interface Listing {
  parent_id: string | null
  sort: FileSort
  order: 'asc' | 'desc' | undefined
  asset_type: string | undefined
}

/** Reads a whole folder, page by page. */
export function listsFiles(user: string, listing: Listing, limit: number): Act<Requests> {
  const { parent_id, sort, order = sort === 'name' ? 'asc' : 'desc', asset_type } = listing
  const query = { parent_id, sort, order: listing.order, asset_type, limit }
  return {
    says: `${user} lists ${JSON.stringify(query)}`,
    send: (service) => allPages(query, (path) => service.request(user, 'GET', `/files?${path}`), 'files'),
    judge: (world, answer) => {
      const folder = parent_id === null ? undefined : sight(world, user, parent_id)?.item
      if (parent_id !== null && !folder) return refused(answer, 'FILE_PARENT_NOT_FOUND')
      if (folder && folder.asset_type !== 'folder') return refused(answer, 'FILE_PARENT_NOT_FOLDER')
      const items = folder
        ? inside(world, folder.id)
        : [...world.items.values()].filter((item) => item.parent_id === null && item.owner_id === user)
      const rows = items.filter(
        (item) =>
          item.trashed_at === null &&
          (asset_type === undefined || item.asset_type === asset_type) &&
          (item.owner_id === user || !isBlocked(world, item.id)),
      )
      agrees(answer, 200, {
        files: sorted(rows, sort, order).map((item) => listedRecord(shown(world, item, user))),
        next_cursor: null,
      })
    },
  }
}

function sorted(items: Item[], sort: Listing['sort'], order: 'asc' | 'desc'): Item[] {
  const key = (item: Item) => (sort === 'name' ? lower(item.name) : item[sort])
  const ascending = items.sort((one, other) =>
    key(one) === key(other) ? (one.id < other.id ? -1 : 1) : key(one) < key(other) ? -1 : 1,
  )
  return order === 'asc' ? ascending : ascending.reverse()
}

/** Without regard to ASCII case. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
