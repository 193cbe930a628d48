import type { DirectoryDropItem, DropItem, FileDropItem } from 'react-aria-components'
import { isDirectoryDropItem, isFileDropItem } from 'react-aria-components'

/** A file of the user's machine, with the folders to create for it. */
export interface ChosenFile {
  content: File
  /** The names of its folders, the outermost first. */
  folders: readonly string[]
}

/** The files of a file dialog. Files of a chosen folder have the folders of their relative path. */
export function chosenFiles(list: FileList | null): ChosenFile[] {
  return [...(list ?? [])].map((content) => ({
    content,
    folders: content.webkitRelativePath.split('/').slice(0, -1),
  }))
}

/** The dropped files, and the files in dropped folders, at any depth. */
export async function droppedFiles(items: readonly DropItem[]): Promise<ChosenFile[]> {
  const found: ChosenFile[] = []
  for (const item of items)
    if (isFileDropItem(item) || isDirectoryDropItem(item)) await collect(item, [], found)
  return found
}

async function collect(
  item: FileDropItem | DirectoryDropItem,
  folders: readonly string[],
  found: ChosenFile[],
): Promise<void> {
  if (item.kind === 'file') found.push({ content: await item.getFile(), folders })
  else for await (const entry of item.getEntries()) await collect(entry, [...folders, item.name], found)
}
