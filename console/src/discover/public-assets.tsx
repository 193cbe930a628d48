import { ASSETS, type Asset } from '../assets/asset.ts'
import { AssetCards, type CardFilter } from '../assets/asset-cards.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty, Waiting } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { type Filter, isUnfiltered, queryOf, sorts, type TagFilter, tagsOfAssets } from './filter.ts'
import { FilterChips } from './filter-chips.tsx'
import { PopularAssets, usePopular } from './popular-assets.tsx'
import { screenful } from './screenful.ts'
import { TagField } from './tag-field.tsx'

interface Props {
  filter: Filter
  onOpen: (asset: Asset) => void
  onCard: CardFilter
  onTag: (changed: TagFilter) => void
  onRemoveTag: (tag: string) => void
  onRemoveOwner: () => void
}

/** The public assets that a filter finds, below its tags; without a filter, the most popular ones first. */
export function PublicAssets(props: Props) {
  const { client } = useSession()
  const { filter, onOpen, onCard } = props
  const { q, type, sort, tags, owner } = filter
  const query = queryOf(filter)
  const hasPopular = isUnfiltered(filter) && sort === 'published'
  const popular = usePopular(type, hasPopular)
  const list = usePages({
    queryKey: [ASSETS, 'public', query],
    read: (cursor, signal) =>
      screenful(client.catalogue.list({ ...query, limit: 50, ...cursor }, { signal })),
    itemsOf: (page) => page.assets,
    keepsPrevious: true,
  })
  const row = (hasPopular && popular.data) || []
  return (
    <>
      <div className="tag-bar">
        <FilterChips
          tags={tags}
          owner={owner}
          onChange={props.onTag}
          onRemove={props.onRemoveTag}
          onRemoveOwner={props.onRemoveOwner}
        />
        <TagField
          suggestions={tagsOfAssets(list.items, tags)}
          onAdd={(tag) => props.onTag({ tag, isExcluded: false })}
        />
      </div>
      {row.length > 0 && (
        <>
          <PopularAssets assets={row} onOpen={onOpen} onCard={onCard} />
          <h2>{sorts[sort]}</h2>
        </>
      )}
      {/* The list does not move down when the row above it arrives. */}
      {hasPopular && popular.isLoading ? (
        <Waiting />
      ) : (
        <Pages list={list} empty={<NothingFound isAll={isUnfiltered(filter) && type === 'all'} q={q} />}>
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
      )}
    </>
  )
}

function NothingFound({ isAll, q }: { isAll: boolean; q: string }) {
  return isAll ? (
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
