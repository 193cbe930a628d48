import { type Act, agrees, type Command, type Requests, refused } from './act.ts'
import { anItem, aPlayer } from './choose.ts'
import { expectEtag } from './etags.ts'
import { allPages } from './pages.ts'
import { fileRecord, listedRecord } from './records.ts'
import { changedAt, type World } from './state.ts'
import { changed, isShared, level, ownLive, ownTrashed, place, remove, shown } from './tree.ts'

function inTrash(world: World, user: string) {
  return [...world.items.values()]
    .filter((item) => item.owner_id === user && item.trashed_at !== null)
    .sort((one, other) =>
      one.trashed_at === other.trashed_at
        ? one.id < other.id
          ? 1
          : -1
        : (other.trashed_at ?? 0) - (one.trashed_at ?? 0),
    )
}

export const listTrash: Command = {
  operation: 'listTrash',
  writes: false,
  draw: (world, draw) => listsTrash(aPlayer(world, draw), draw.one(100, 1, 2)),
}

export function listsTrash(user: string, limit: number): Act<Requests> {
  return {
    says: `${user} looks into the trash`,
    send: (service) =>
      allPages({ limit }, (query) => service.request(user, 'GET', `/trash?${query}`), 'files'),
    judge: (world, answer) =>
      agrees(answer, 200, {
        files: inTrash(world, user).map((item) => listedRecord({ ...item, shared: isShared(world, item) })),
        next_cursor: null,
      }),
  }
}

const trashed = ({ trashed_at }: { trashed_at: number | null }) => trashed_at !== null

export const restoreFile: Command = {
  operation: 'restoreFile',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anItem(world, draw, draw.chance(25) ? undefined : trashed)
    return restoresFile(user, id)
  },
}

export function restoresFile(user: string, id: string): Act<Requests> {
  return {
    says: `${user} restores ${id}`,
    send: (service) => service.request(user, 'POST', `/trash/${id}/restore`),
    judge: (world, answer) => {
      const item = ownTrashed(world, user, id)
      if (!item) return refused(answer, ownLive(world, user, id) ? 'FILE_NOT_TRASHED' : 'FILE_NOT_FOUND')
      const { parent_id } = item
      const isOpen =
        parent_id === null ||
        (ownLive(world, user, parent_id) && level(world, parent_id) <= world.limits.MAX_FOLDER_DEPTH)
      if (!isOpen) {
        place(world, item, null)
        item.updated_at = changedAt(world, item)
      }
      item.trashed_at = null
      changed(item)
      agrees(answer, 200, fileRecord(shown(world, item)))
      expectEtag(item, answer)
    },
  }
}

export const purgeFile: Command = {
  operation: 'purgeFile',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anItem(world, draw, draw.chance(25) ? undefined : trashed)
    return purgesFile(user, id)
  },
}

export function purgesFile(user: string, id: string): Act<Requests> {
  return {
    says: `${user} deletes ${id} for good`,
    send: (service) => service.request(user, 'DELETE', `/trash/${id}`),
    judge: (world, answer) => {
      const item = ownTrashed(world, user, id)
      if (!item) return refused(answer, ownLive(world, user, id) ? 'FILE_NOT_TRASHED' : 'FILE_NOT_FOUND')
      remove(world, item)
      agrees(answer, 204)
    },
  }
}

export const emptyTrash: Command = {
  operation: 'emptyTrash',
  writes: true,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    return emptiesTrash(user)
  },
}

export function emptiesTrash(user: string): Act<Requests> {
  return {
    says: `${user} empties the trash`,
    send: (service) => service.request(user, 'DELETE', '/trash'),
    judge: (world, answer) => {
      for (const item of inTrash(world, user)) remove(world, item)
      agrees(answer, 204)
    },
  }
}
