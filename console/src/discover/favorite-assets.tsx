import { ASSETS, type Asset } from '../assets/asset.ts'
import { AssetCards, type CardFilter } from '../assets/asset-cards.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { screenful } from './screenful.ts'

/** The user's favorites, the last added first. */
export function FavoriteAssets(props: { onOpen: (asset: Asset) => void; filter: CardFilter }) {
  const { client } = useSession()
  const list = usePages({
    queryKey: [ASSETS, 'favorites'],
    read: (cursor, signal) => screenful(client.favorites.list({ limit: 50, ...cursor }, { signal })),
    itemsOf: (page) => page.assets,
  })
  return (
    <Pages
      list={list}
      empty={
        <Empty icon="heart" title="No favorites yet">
          The heart of an asset keeps it here. A favorite that its owner makes private, or a moderator blocks,
          is missing for that time.
        </Empty>
      }
    >
      {(assets) => <AssetCards label="My favorites" assets={assets} {...props} />}
    </Pages>
  )
}
