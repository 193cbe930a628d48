import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Input, SearchField, ToggleButton } from 'react-aria-components'
import { ASSETS, type Asset, type AssetType, type TypeChoice, typeChoices } from '../assets/asset.ts'
import { AssetPage } from '../assets/asset-page.tsx'
import { IconButton } from '../controls/button.tsx'
import { Select } from '../controls/field.tsx'
import { Icon } from '../controls/icon.tsx'
import { showNotice } from '../controls/notice.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { useFavorites } from '../favorites/use-favorites.ts'
import { useSession } from '../session/session.tsx'
import { FavoriteAssets } from './favorite-assets.tsx'
import { type Filter, sorts, type TagFilter, withTag } from './filter.ts'
import { PublicAssets } from './public-assets.tsx'
import { TagChips } from './tag-chips.tsx'
import { useSettled } from './use-settled.ts'
import '../assets/assets.css'
import './discover.css'

/** The open asset: from the list, or from another asset's page. */
interface Opened {
  id: string
  publicType?: AssetType | undefined
}

/** Browses and searches the public assets of all users, and shows the user's favorites. */
export function DiscoverScreen() {
  const { user_id } = useSession()
  const cache = useQueryClient()
  const favorites = useFavorites()
  const [opened, setOpened] = useState<Opened>()
  const [areFavorites, setFavorites] = useState(false)
  const [type, setType] = useState<TypeChoice>('all')
  const [sort, setSort] = useState<Filter['sort']>('published')
  const [tags, setTags] = useState<readonly TagFilter[]>([])
  const [text, setText] = useState('')
  const q = useSettled(text.trim())
  const isSearch = text.trim() !== ''
  // To its owner, an asset has a page also when it is not public any more.
  const open = ({ id, type: publicType, owner_id }: Asset) =>
    setOpened({ id, publicType: owner_id === user_id ? undefined : publicType })
  const addTag = (added: TagFilter) => {
    const next = withTag(tags, added)
    if (next) setTags(next)
    else showNotice('A filter has at most five tags, and five that are not wanted.')
  }
  const onTag = (tag: string) => {
    addTag({ tag, isExcluded: false })
    setFavorites(false)
    setOpened(undefined)
  }
  if (opened)
    return (
      <AssetPage
        {...opened}
        from="Discover"
        onOpen={(id) => setOpened({ id })}
        onTag={onTag}
        onClose={() => setOpened(undefined)}
      />
    )
  return (
    <div className="stack asset-screen">
      <PageTitle>Discover</PageTitle>
      <div className="row asset-bar">
        <SearchField
          className="asset-search"
          aria-label="Search public assets by name"
          value={text}
          onChange={setText}
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
          onChange={setType}
        />
        <Select
          label="Order"
          isLabelHidden
          options={sorts}
          value={isSearch ? 'published' : sort}
          isDisabled={areFavorites || isSearch}
          onChange={setSort}
        />
        <ToggleButton className="button plain toggle" isSelected={areFavorites} onChange={setFavorites}>
          <Icon name="heart" />
          My favorites
        </ToggleButton>
        <IconButton
          icon="restore"
          label="Look for new ones"
          onPress={() => void cache.invalidateQueries({ queryKey: [ASSETS] })}
        />
      </div>
      {isSearch && !areFavorites && (
        <p className="quiet small">A search by name has the newest first: it takes no other order.</p>
      )}
      {!areFavorites && (
        <TagChips
          tags={tags}
          onChange={addTag}
          onRemove={(removed) => setTags(tags.filter(({ tag }) => tag !== removed))}
        />
      )}
      {favorites.isError && (
        <ErrorNote
          error={favorites.error}
          text="Your favorites could not be read."
          onRetry={() => void favorites.refetch()}
        />
      )}
      {areFavorites ? (
        <FavoriteAssets onOpen={open} onTag={onTag} />
      ) : (
        <PublicAssets filter={{ type, q, sort, tags }} onOpen={open} onTag={onTag} />
      )}
    </div>
  )
}
