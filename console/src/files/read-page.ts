import { type Item, isFolder } from './item.ts'

type Type = Item['asset_type'] | undefined

/** Where a page begins: in the list of the folders only, or in that of all items. */
export interface PageStart {
  part: 'folders' | 'all'
  cursor: string | undefined
}

export interface ListedPage {
  files: Item[]
  /** Where the next page begins; null: there is none. */
  next: PageStart | null
}

interface ServicePage {
  files: Item[]
  next_cursor: string | null
}
type Read = (asset_type: Type, cursor: string | undefined) => Promise<ServicePage>

/**
 * Reads a page of a list. With the folders first, a list of one page of the service is sorted here. A longer one is read in two
 * parts: the list of the folders, and then that of all items without them. The last page of folders has items of the second part
 * too, so that a new folder always has a page to be inserted in.
 */
export async function readPage(
  read: Read,
  asset_type: Type,
  areFoldersFirst: boolean,
  start: PageStart | undefined,
): Promise<ListedPage> {
  if (!areFoldersFirst) {
    const { files, next_cursor } = await read(asset_type, start?.cursor)
    return { files, next: startAt('all', next_cursor) }
  }
  if (start?.part === 'all') return othersFrom(read, await read(undefined, start.cursor))
  const first = start ? undefined : await read(undefined, undefined)
  if (first?.next_cursor === null)
    return { files: [...first.files.filter(isFolder), ...others(first)], next: null }
  const folders = await read('folder', start?.cursor)
  if (folders.next_cursor !== null)
    return { files: folders.files, next: startAt('folders', folders.next_cursor) }
  const { files, next } = await othersFrom(read, first ?? (await read(undefined, undefined)))
  return { files: [...folders.files, ...files], next }
}

/** The items of a page that are no folders; if there are none, those of the next page that has some. */
async function othersFrom(read: Read, page: ServicePage): Promise<ListedPage> {
  let found = page
  while (others(found).length === 0 && found.next_cursor !== null)
    found = await read(undefined, found.next_cursor)
  return { files: others(found), next: startAt('all', found.next_cursor) }
}

const others = ({ files }: ServicePage) => files.filter((item) => !isFolder(item))

function startAt(part: PageStart['part'], cursor: string | null): PageStart | null {
  return cursor === null ? null : { part, cursor }
}
