import type { gameAssets } from '../../platform/db/schema.ts'
import type { Values } from '../../platform/db/sql.ts'
import type { AssetPage } from './page-schema.ts'

/** The columns of an asset's page. A member that is left out leaves its column as it is, or at its default. */
export function pageColumns({ description, tags, metadata, listed }: AssetPage) {
  return {
    description,
    tags: tags && JSON.stringify(tags),
    metadata: metadata && JSON.stringify(metadata),
    listed: listed === undefined ? undefined : listed ? 1 : 0,
  } satisfies Partial<Values<typeof gameAssets>>
}
