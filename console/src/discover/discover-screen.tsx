import { useQueryClient } from '@tanstack/react-query'
import { Input, SearchField, ToggleButton } from 'react-aria-components'
import { ASSETS, type Asset, isTypeChoice, typeChoices, typeOf } from '../assets/asset.ts'
import { AssetPage } from '../assets/asset-page.tsx'
import { ratingBounds } from '../assets/rating.ts'
import { IconButton } from '../controls/button.tsx'
import { Select } from '../controls/field.tsx'
import { Icon } from '../controls/icon.tsx'
import { showNotice } from '../controls/notice.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { useSettled } from '../controls/use-settled.ts'
import { useFavorites } from '../favorites/use-favorites.ts'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { FavoriteAssets } from './favorite-assets.tsx'
import { filterOf, queryOfTags, sorts, type TagFilter, withTag } from './filter.ts'
import { PublicAssets } from './public-assets.tsx'
import '../assets/assets.css'
import './discover.css'

export const build = BUILD

/** The path of the list of favorites, which no asset has as its id. */
const FAVORITES = 'favorites'

/** Browses and searches the public assets of all users, and shows the user's favorites. */
export function DiscoverScreen() {
  const { user_id } = useSession()
  const cache = useQueryClient()
  const favorites = useFavorites()
  const { path, query, go, change } = usePlace()
  const [opened, tab] = path
  const areFavorites = opened === FAVORITES
  const { q: text, type, sort, tags, owner, upTo } = filterOf(query)
  const q = useSettled(text.trim())
  const isSearch = text.trim() !== ''
  // To its owner, an asset has a page also when it is not public any more.
  const open = ({ id, type: publicType, owner_id }: Asset) =>
    go([id], { ...query, as: owner_id === user_id ? '' : publicType })
  const addTag = (added: TagFilter, show = change) => {
    const next = withTag(tags, added)
    if (next) show(queryOfTags(next))
    else showNotice('A filter has at most five tags, and five that are not wanted.')
  }
  const onTag = (tag: string) =>
    addTag({ tag, isExcluded: false }, (added) => go([], { ...query, ...added, as: '' }))
  const onOwner = (owner_id: string) => go([], { ...query, owner: owner_id, as: '' })
  if (opened !== undefined && !areFavorites)
    return (
      <AssetPage
        id={opened}
        publicType={isTypeChoice(query.as) ? typeOf(query.as).type : undefined}
        tab={tab}
        from="Discover"
        onOpen={(id) => go([id], { ...query, as: '' })}
        onTag={onTag}
        onClose={() => go([], { ...query, as: '' })}
      />
    )
  return (
    <div className="stack asset-screen">
      <PageTitle
        actions={
          <IconButton
            icon="restore"
            label="Look for new ones"
            onPress={() => void cache.invalidateQueries({ queryKey: [ASSETS] })}
          />
        }
      >
        Discover
      </PageTitle>
      <div className="row asset-bar">
        <SearchField
          className="asset-search"
          aria-label="Search public assets by name"
          value={text}
          onChange={(next) => change({ q: next })}
          isDisabled={areFavorites}
          maxLength={100}
        >
          <Icon name="search" />
          <Input className="input" placeholder="Search by name" />
          {text !== '' && <IconButton icon="close" label="Clear the search" />}
        </SearchField>
        <Select
          label="Type"
          isLabelHidden
          options={typeChoices}
          value={type}
          isDisabled={areFavorites}
          onChange={(next) => change({ type: next })}
        />
        <Select
          label="Order"
          isLabelHidden
          options={sorts}
          value={isSearch ? 'published' : sort}
          isDisabled={areFavorites || isSearch}
          onChange={(next) => change({ sort: next })}
        />
        <Select
          label="Rating up to"
          isLabelHidden
          options={ratingBounds}
          value={upTo}
          isDisabled={areFavorites}
          onChange={(next) => change({ rating: next })}
        />
        <ToggleButton
          className="button plain toggle"
          isSelected={areFavorites}
          onChange={(are) => go(are ? [FAVORITES] : [], query)}
        >
          <Icon name="heart" />
          My favorites
        </ToggleButton>
      </div>
      {isSearch && !areFavorites && (
        <p className="quiet small">A search by name has the newest first: it takes no other order.</p>
      )}
      {favorites.isError && (
        <ErrorNote
          error={favorites.error}
          text="Your favorites could not be read."
          onRetry={() => void favorites.refetch()}
        />
      )}
      {areFavorites ? (
        <FavoriteAssets onOpen={open} filter={{ onOwner, onTag }} />
      ) : (
        <PublicAssets
          filter={{ type, q, sort, tags, owner, upTo }}
          onOpen={open}
          onCard={{ onOwner, onTag }}
          onTag={addTag}
          onRemoveTag={(removed) => change(queryOfTags(tags.filter(({ tag }) => tag !== removed)))}
          onRemoveOwner={() => change({ owner: '' })}
        />
      )}
    </div>
  )
}
