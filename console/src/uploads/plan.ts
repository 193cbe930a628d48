import type { Client } from 'edge-game-storage-client'
import { type FolderId, type Item, isFolder, isReady } from '../files/item.ts'
import type { ChosenFile } from './chosen.ts'

/** A chosen file whose folder has an item of its name. */
export interface Clash {
  content: File
  existing: Item
}

/** `replace`: new content for the existing file. `both`: another name. `skip`: no upload. */
export type Decision = 'replace' | 'both' | 'skip'

/** Asks the user about names that stand twice. Undefined: nothing is to be uploaded. */
export type Ask = (clashes: readonly Clash[]) => Promise<readonly Decision[] | undefined>

/** An upload that is decided on. */
interface Planned extends ChosenFile {
  name: string
  /** The file that gets the content. */
  file_id?: string
}

interface Plan {
  uploads: readonly Planned[]
  /** The folders that exist, by their path below the root of the plan. */
  folders: ReadonlyMap<string, FolderId>
  /** Whether a folder has more items than were compared. */
  isCut: boolean
}

const PAGE_SIZE = 500
/** How many items of a folder are compared. */
export const MOST_COMPARED = 20 * PAGE_SIZE

export const keyOf = (path: readonly string[]): string => path.join('/')

/**
 * Finds the names that the folders of chosen files have already, and asks about them. A chosen folder is merged into one of its
 * name. Undefined: nothing is to be uploaded. The service allows two items of one name.
 */
export async function plan(
  client: Client,
  files: readonly ChosenFile[],
  root: FolderId,
  ask: Ask,
): Promise<Plan | undefined> {
  const folders = new Map<string, FolderId>([['', root]])
  const items = new Map<string, readonly Item[]>()
  let isCut = false
  for (const path of pathsOf(files)) {
    const above = items.get(keyOf(path.slice(0, -1))) ?? []
    const same = above.find((item) => isFolder(item) && item.name === path.at(-1)?.normalize('NFC'))
    if (same) folders.set(keyOf(path), same.id)
    const id = folders.get(keyOf(path))
    if (id === undefined) continue
    const found = await itemsIn(client, id)
    isCut ||= found.length >= MOST_COMPARED
    items.set(keyOf(path), found)
  }
  const clashes = files
    .flatMap((file) => {
      const existing = existingFor(file, items.get(keyOf(file.folders)) ?? [])
      return existing ? [{ file, content: file.content, existing }] : []
    })
    .sort((one, other) => one.content.name.localeCompare(other.content.name))
  const decisions = clashes.length === 0 ? [] : await ask(clashes)
  if (!decisions) return undefined
  const decided = new Map(clashes.map(({ file, existing }, at) => [file, { existing, as: decisions[at] }]))
  const taken = new Map([...items].map(([key, found]) => [key, new Set(found.map(({ name }) => name))]))
  const uploads = files.flatMap((file): Planned[] => {
    const { name } = file.content
    const { existing, as } = decided.get(file) ?? {}
    if (!existing) return [{ ...file, name }]
    if (as === 'replace') return [{ ...file, name, file_id: existing.id }]
    if (as !== 'both') return []
    const names = taken.get(keyOf(file.folders)) ?? new Set()
    const free = freeName(name, names)
    names.add(free)
    return [{ ...file, name: free }]
  })
  return { uploads, folders, isCut }
}

/** Whether new content can replace that of an item. */
export const isReplaceable = (item: Item): boolean => !isFolder(item) && isReady(item)

function existingFor({ content }: ChosenFile, items: readonly Item[]): Item | undefined {
  const same = items.filter(({ name }) => name === content.name.normalize('NFC'))
  return same.find(isReplaceable) ?? same[0]
}

/** The paths of the folders of files and of those above, each once, the outer ones first. */
function pathsOf(files: readonly ChosenFile[]): (readonly string[])[] {
  const paths = new Map<string, readonly string[]>()
  for (const { folders } of files)
    for (let depth = 0; depth <= folders.length; depth++) {
      const path = folders.slice(0, depth)
      paths.set(keyOf(path), path)
    }
  return [...paths.values()].sort((one, other) => one.length - other.length)
}

async function itemsIn(client: Client, folder: FolderId): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const item of client.files.list({
    ...(folder !== null && { parent_id: folder }),
    limit: PAGE_SIZE,
  })) {
    items.push(item)
    if (items.length === MOST_COMPARED) break
  }
  return items
}

const MOST_CHARACTERS = 255

/** A name that is not taken: a number in brackets before its end. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.')
  const end = dot > 0 ? name.slice(dot) : ''
  const stem = name.slice(0, name.length - end.length).replace(/(?<=.) \(\d+\)$/, '')
  for (let number = 2; ; number++) {
    const suffix = ` (${number})${end}`
    const free = [...stem].slice(0, MOST_CHARACTERS - [...suffix].length).join('') + suffix
    if (!taken.has(free)) return free
  }
}
