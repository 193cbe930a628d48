import { type SQL, sql } from 'drizzle-orm'
import { isId } from '../db/id.ts'
import { isOpenHere } from '../shards/partitions.ts'

/** A listed object whose key is that of content. */
export interface ListedContent {
  key: string
  /** The file whose content a request stored in the object; null for another object. */
  file: string | null
  /** The asset whose preview a request stored in the object; null for another object. */
  asset: string | null
}

/**
 * The content among listed objects. The list has to include their custom metadata. A client may add metadata to what it sends
 * to an upload's URL, but can't leave out `upload`, which the URL requires: only the service stores an object with `file` or
 * `asset` alone.
 */
export function contentIn(objects: readonly Pick<R2Object, 'key' | 'customMetadata'>[]): ListedContent[] {
  return objects
    .filter(({ key }) => isId(key))
    .map(({ key, customMetadata = {} }) => ({
      key,
      file: aloneIn(customMetadata, 'file'),
      asset: aloneIn(customMetadata, 'asset'),
    }))
}

/** The value of the name, when the metadata has no other one. */
function aloneIn(metadata: Record<string, string>, name: string): string | null {
  return Object.keys(metadata).length === 1 ? (metadata[name] ?? null) : null
}

/** Whether a request has stored the object. Otherwise it is the object of an upload. */
export function isOfRequest({ file, asset }: ListedContent): boolean {
  return file !== null || asset !== null
}

/** SQL: the rest of a SELECT of a list of `ListedContent`, as rows of `json_each`. A condition has to follow. */
export function fromListed(listed: readonly ListedContent[]): SQL {
  return sql`FROM json_each(${JSON.stringify(listed)}) WHERE`
}

/** SQL: the key of a row of `fromListed`. */
export const listedKey = sql`value ->> 'key'`

/** SQL: whether the object of a row of `fromListed` belongs to this database. */
export function isOwnObject(database: string): SQL {
  return isOpenHere(sql`substr(${listedKey}, 21, 3)`, database)
}

/** SQL: whether the object of a row of `fromListed` belongs to this database, and no row of it names the object. */
export function isUnknownObject(database: string): SQL {
  return sql`${isOwnObject(database)} AND NOT EXISTS (SELECT 1 FROM uploads WHERE id = ${listedKey})
    AND NOT EXISTS (SELECT 1 FROM files WHERE files.id = value ->> 'file' AND files.object_key = ${listedKey})
    AND NOT EXISTS (SELECT 1 FROM game_assets WHERE game_assets.id = value ->> 'asset' AND preview_key = ${listedKey})
    AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = ${listedKey})
    AND NOT EXISTS (SELECT 1 FROM garbage WHERE object_key = ${listedKey})`
}
