/** Assets on the device, in Node: `client.assets.update` keeps them up to date, and they are there without a network. */
export { type InstalledAsset, InstalledContent } from './installed/content.ts'
export { folderContent } from './installed/folder.ts'
export { type ContentStore, type InstalledVersion, keyOf } from './installed/store.ts'
