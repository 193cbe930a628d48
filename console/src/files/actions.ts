import { useQueryClient } from '@tanstack/react-query'
import { formatCount } from '../controls/format.ts'
import { showError, showNotice, showUndo } from '../controls/notice.tsx'
import { profileKey } from '../profile/avatar.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import { saveFrom } from './download.ts'
import type { FolderId, Item } from './item.ts'
import { putItem, removeItems } from './list-cache.ts'

/** How many URLs the service signs in one request. */
export const MAX_URLS = 100

/** What `edit` changes of an item. */
interface Edit {
  name?: string
  parent_id?: FolderId
  is_public?: boolean
}

/** An item before it was changed, and after. */
interface Edited {
  before: Item
  after: Item
}

/** The actions on items. Most show a notice, update the lists, and return whether the action succeeded. */
export function useActions() {
  const { client } = useSession()
  const cache = useQueryClient()

  async function attempt(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      showError(error)
      return false
    }
  }

  /** Changes items one after the other, up to the first that fails. */
  const forEach = (items: readonly Item[], act: (item: Item) => Promise<unknown>) =>
    attempt(async () => {
      for (const item of items) await act(item)
    })

  async function edit(before: Item, change: Edit, ifMatch?: string): Promise<Edited> {
    const { etag: _, ...changed } = await client.files.edit(
      { id: before.id, ...change },
      ifMatch === undefined ? {} : { ifMatch },
    )
    const after = { ...before, ...changed }
    putItem(cache, after)
    // The cached ancestors of items below this one have its old name.
    await cache.invalidateQueries({ queryKey: ['item'] })
    return { before, after }
  }

  /** Gives items back the name or the folder that they had, where nobody has changed that since. */
  async function takeBack(edited: readonly Edited[], member: 'name' | 'parent_id', told: string) {
    const kept: Item[] = []
    for (const { before, after } of edited)
      try {
        const { file, etag } = await client.files.get({ id: before.id })
        const { name, parent_id } = before
        if (file[member] !== after[member]) kept.push(after)
        else await edit(file, member === 'name' ? { name } : { parent_id }, etag)
      } catch (error) {
        if (!isRefusal(error, 'PRECONDITION_FAILED') && !isRefusal(error, 'FILE_NOT_FOUND')) throw error
        kept.push(after)
      }
    if (kept.length === 0) return showNotice(told)
    await cache.invalidateQueries({ queryKey: ['files'] })
    const were =
      kept.length === 1 ? 'was changed since, and stays as it is' : 'were changed since, and stay as they are'
    showNotice(`${named(kept)} ${were}.`)
  }

  async function restore(item: Item) {
    const { etag: _, ...restored } = await client.trash.restore({ id: item.id })
    putItem(cache, { ...item, ...restored })
    await cache.invalidateQueries({ queryKey: ['trash'] })
  }

  return {
    /** @throws ServiceError, which the dialog with the name shows */
    createFolder: async (name: string, parent_id: FolderId) => {
      const folder = await client.files.createFolder({ name, parent_id })
      putItem(cache, { ...folder, mime_type: null, processing_state: null })
      return folder.id
    },
    rename: (item: Item, name: string) =>
      attempt(async () => {
        const renamed = await edit(item, { name })
        showUndo(`Renamed ${item.name} to ${renamed.after.name}.`, () =>
          takeBack([renamed], 'name', `${item.name} has its name again.`),
        )
      }),
    move: async (items: readonly Item[], folder: FolderId, folderName: string) => {
      const moved: Edited[] = []
      const isDone = await forEach(items, async (item) => {
        if (item.parent_id !== folder) moved.push(await edit(item, { parent_id: folder }))
      })
      const what = named(moved.map(({ before }) => before))
      if (moved.length > 0)
        showUndo(`Moved ${what} to ${folderName}.`, () => takeBack(moved, 'parent_id', `Moved ${what} back.`))
      return isDone
    },
    setPublic: (item: Item, is_public: boolean) =>
      attempt(async () => {
        await edit(item, { is_public })
        showNotice(`${item.name} is ${is_public ? 'public: every signed-in user can read it' : 'private'}.`)
      }),
    showInProfile: (item: Item) =>
      attempt(async () => {
        cache.setQueryData(profileKey, await client.profiles.set({ picture_id: item.id }))
        showNotice(`${item.name} is your profile picture: everybody can see it.`)
      }),
    remove: async (items: readonly Item[]) => {
      const removed: Item[] = []
      const isDone = await forEach(items, async (item) => {
        await client.files.delete({ id: item.id })
        removeItems(cache, [item.id])
        removed.push(item)
      })
      const pictureChanged = async () => {
        if (removed.some(({ asset_type }) => asset_type === 'profile_pic'))
          await cache.invalidateQueries({ queryKey: profileKey })
      }
      await pictureChanged()
      if (removed.length > 0)
        showUndo(`Moved ${named(removed)} to the trash.`, async () => {
          for (const item of removed) await restore(item)
          await pictureChanged()
          showNotice(`Restored ${named(removed)}.`)
        })
      return isDone
    },
    /** Downloads up to MAX_URLS files, whose URLs come in one request. */
    downloadAll: (items: readonly Item[]) =>
      attempt(async () => {
        const { urls } = await client.files.getUrls({ ids: items.map(({ id }) => id) })
        const found = urls.flatMap((one, at) =>
          'url' in one ? { url: one.url, name: items[at]?.name ?? '' } : [],
        )
        for (const { url, name } of found) await saveFrom(url, name)
        const missing = items.length - found.length
        if (missing > 0) showNotice(`${formatCount(missing, 'file')} can no longer be downloaded.`)
      }),
    download: (item: Pick<Item, 'id' | 'name'>) =>
      attempt(async () => saveFrom((await client.files.getUrl({ id: item.id })).url, item.name)),
  }
}

function named(items: readonly Item[]): string {
  const [item] = items
  return items.length === 1 && item ? item.name : formatCount(items.length, 'item')
}
