import { ASSETS, type Asset } from '../assets/asset.ts'
import { AssetCards, type CardFilter } from '../assets/asset-cards.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { type Filter, queryOf } from './filter.ts'
import { screenful } from './screenful.ts'

interface Props {
  filter: Filter
  onOpen: (asset: Asset) => void
  onCard: CardFilter
}

/** The public assets that a filter finds. */
export function PublicAssets({ filter, onOpen, onCard }: Props) {
  const { client } = useSession()
  const { q, type, sort, tags, owner } = filter
  const query = queryOf(filter)
  const list = usePages({
    queryKey: [ASSETS, 'public', query],
    read: (cursor, signal) =>
      screenful(client.catalogue.list({ ...query, limit: 50, ...cursor }, { signal })),
    itemsOf: (page) => page.assets,
    keepsPrevious: true,
  })
  const isAll = q === '' && type === 'all' && tags.length === 0 && owner === ''
  return (
    <Pages
      list={list}
      empty={
        isAll ? (
          <Empty icon="globe" title="Nothing is public yet">
            What a user publishes in Assets appears here for everybody. Publish one, or open a second pane as
            another user and publish there.
          </Empty>
        ) : (
          <Empty icon="search" title="Nothing found">
            {q.length > 0 && q.length < 3
              ? 'One or two characters find the names that begin with them. Type more to search within names.'
              : 'Search for less, for all types, or with fewer tags.'}
          </Empty>
        )
      }
    >
      {(assets) => (
        <AssetCards
          label="Public assets"
          assets={assets}
          areUpdates={q === '' && sort === 'updated'}
          onOpen={onOpen}
          filter={onCard}
        />
      )}
    </Pages>
  )
}
