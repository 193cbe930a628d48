import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'react-aria-components'
import { ASSETS, type Asset, type TypeChoice, typeOf } from '../assets/asset.ts'
import { AssetCards, type CardFilter } from '../assets/asset-cards.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'

/** The number of cards in the row, and the fewest for which there is one. */
const CARDS = 8
const FEWEST = 3

/** How long the row is shown without being read again. */
const CACHED_MS = 300_000

/** The most popular public assets of a type that somebody has among their favorites. `isShown`: whether to read them. */
export function usePopular(type: TypeChoice, isShown: boolean) {
  const { client } = useSession()
  return useQuery({
    queryKey: [ASSETS, 'popular', type],
    queryFn: async ({ signal }) => {
      const { assets } = await client.catalogue
        .list({ ...typeOf(type), sort: 'popular', limit: CARDS }, { signal })
        .page()
      const popular = assets.filter(({ favorites }) => favorites > 0)
      return popular.length < FEWEST ? [] : popular
    },
    enabled: isShown,
    staleTime: CACHED_MS,
    placeholderData: keepPreviousData,
  })
}

interface Props {
  assets: readonly Asset[]
  onOpen: (asset: Asset) => void
  onCard: CardFilter
}

/** The most popular assets in one row, with a link to all in this order. */
export function PopularAssets({ assets, onOpen, onCard }: Props) {
  const { query, hrefOf } = usePlace()
  return (
    <section className="stack" aria-label="Popular now">
      <div className="row">
        <h2 className="spread">Most popular</h2>
        <Link className="asset-link" href={hrefOf([], { ...query, sort: 'popular' })}>
          Show all
        </Link>
      </div>
      <AssetCards label="Most popular" assets={assets} onOpen={onOpen} filter={onCard} isRow />
    </section>
  )
}
