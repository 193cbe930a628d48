/** Prints the .meta files of the Unity package as JSON: their text by path. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PACKAGE = 'engines/unity'
const root = fileURLToPath(new URL(`../../${PACKAGE}/`, import.meta.url).href)

/** A plugin that only a browser's player has. */
const forWebGl = `PluginImporter:
  serializedVersion: 2
  platformData:
  - first:
      Any:${' '}
    second:
      enabled: 0
      settings: {}
  - first:
      WebGL: WebGL
    second:
      enabled: 1
      settings: {}
`

/**
 * The .meta file of a file or folder. Unity ignores what has none in an installed package, and knows each file by its guid, which
 * therefore stays the same as long as the path does. Unity fills in the other settings.
 */
function metaOf(path: string, isFolder: boolean): string {
  const guid = createHash('md5').update(`com.edge-game-storage.client/${path}`).digest('hex')
  const settings = isFolder ? 'folderAsset: yes\n' : path.endsWith('.jslib') ? forWebGl : ''
  return `fileFormatVersion: 2\nguid: ${guid}\n${settings}`
}

/**
 * Unity ignores folders whose names end in ~. The Package Manager copies what is in Samples~ into a project with the .meta files that
 * it has: so a scene that uses a component of a sample still does after the sample is imported again. Unity's packages do the same. Nothing
 * copies Documentation~.
 */
const files = readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) => {
  const path = `${entry.parentPath}/${entry.name}`.replace(/\/+/g, '/').slice(root.length)
  return entry.isDirectory() || path.endsWith('.meta') || path.startsWith('Documentation~/') ? [] : [path]
})

/** Git keeps no empty folder, so only those count that have files. */
const folders = new Set(
  files
    .flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)))
    .filter((path) => !path.endsWith('~')),
)
const entries = [
  ...[...folders].map((path) => ({ path, isFolder: true })),
  ...files.map((path) => ({ path, isFolder: false })),
]

const metas = entries.map(({ path, isFolder }) => [`${PACKAGE}/${path}.meta`, metaOf(path, isFolder)])
console.log(JSON.stringify(Object.fromEntries(metas.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)))))
