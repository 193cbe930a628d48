import type { Client } from 'edge-game-storage-client'
import { ASSETS, type Asset, type TypeChoice, typeOf } from '../assets/asset.ts'
import { AssetList } from '../assets/asset-list.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'

interface Props {
  type: TypeChoice
  /** The text to search for in names; empty: all assets. */
  q: string
  onOpen: (asset: Asset) => void
}

/** The public assets of a type whose names contain a text. */
export function PublicAssets({ type, q, onOpen }: Props) {
  const { client } = useSession()
  const list = usePages({
    queryKey: [ASSETS, 'public', type, q],
    read: (cursor, signal) =>
      screenful(client, { ...typeOf(type), ...(q !== '' && { q }), limit: 50, ...cursor }, signal),
    itemsOf: (page) => page.assets,
  })
  return (
    <Pages
      list={list}
      empty={
        q === '' && type === 'all' ? (
          <Empty icon="globe" title="Nothing is public yet">
            What a user publishes in Assets appears here for everybody. Publish one, or open a second pane as
            another user and publish there.
          </Empty>
        ) : (
          <Empty icon="search" title="Nothing found">
            {q.length > 0 && q.length < 3
              ? 'One or two characters find the names that begin with them. Type more to search within names.'
              : 'Search for less, or for all types.'}
          </Empty>
        )
      }
    >
      {(assets) => <AssetList label="Public assets" assets={assets} hasOwners areAllPublic onOpen={onOpen} />}
    </Pages>
  )
}

/** The number of rows that fill a screen. */
const SCREENFUL = 20

/** Reads pages until they fill a screen or end: a page of a search may be short or empty although more follow. */
async function screenful(client: Client, query: Parameters<Client['browseAssets']>[0], signal: AbortSignal) {
  const assets: Asset[] = []
  let next_cursor: string | null = null
  for await (const page of client.browseAssets(query, { signal }).pages()) {
    assets.push(...page.assets)
    next_cursor = page.next_cursor
    if (assets.length >= SCREENFUL) break
  }
  return { assets, next_cursor }
}
