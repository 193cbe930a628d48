/** Assets on the device, in a browser: `client.assets.update` keeps them up to date, and they are there without a network. */
export { type InstalledAsset, InstalledContent } from './installed/content.ts'
export { indexedDbContent } from './installed/indexed-db.ts'
export { type ContentStore, type InstalledVersion, keyOf } from './installed/store.ts'
