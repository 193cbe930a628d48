import { Button, GridListItem } from 'react-aria-components'
import { formatDay } from '../controls/format.ts'
import { RowList } from '../controls/row-list.tsx'
import { Favorite } from '../favorites/favorite.tsx'
import { type Asset, types, versionText } from './asset.ts'
import { AssetMenu } from './asset-menu.tsx'
import { Badges } from './badges.tsx'
import { Picture } from './picture.tsx'
import { ratings } from './rating.ts'

interface Props {
  label: string
  assets: readonly Asset[]
  /** Whether cards show when an asset was updated, instead of when it was published. */
  areUpdates?: boolean
  onOpen: (asset: Asset) => void
  /** Without it, the assets are the user's own, and nothing filters them. */
  filter?: CardFilter
  /** Whether the cards are in one row, which scrolls, without their tags. */
  isRow?: boolean
}

/** What a press of an owner or a tag of a card does. */
export interface CardFilter {
  onOwner: (owner_id: string) => void
  onTag: (tag: string) => void
}

/** The number of tags that a card shows; the asset's page has all. */
const TAGS = 3

/** Assets as cards. Enter or a press opens one; Tab reaches the buttons of a card. */
export function AssetCards({ label, assets, areUpdates = false, onOpen, filter, isRow = false }: Props) {
  return (
    <RowList
      className={isRow ? 'asset-cards in-one-row' : 'asset-cards'}
      aria-label={label}
      layout="grid"
      items={assets}
      dependencies={[areUpdates, filter]}
      onAction={(key) => {
        const asset = assets.find(({ id }) => id === key)
        if (asset) onOpen(asset)
      }}
    >
      {(asset) => (
        <GridListItem id={asset.id} textValue={asset.name} className="asset-card">
          <Picture asset={asset} place="card" />
          <div className="asset-card-text">
            <div className="row">
              <span className="cut spread asset-name" dir="auto">
                {asset.name}
              </span>
              {filter ? (
                <>
                  <Favorite asset={asset} />
                  <AssetMenu asset={asset} choices={[]} look="quiet" />
                </>
              ) : (
                <Badges asset={asset} />
              )}
            </div>
            {filter ? (
              <span className="row quiet small asset-of">
                by
                <Button
                  className="asset-owner cut"
                  aria-label={`Owner ${asset.owner_id}`}
                  onPress={() => filter.onOwner(asset.owner_id)}
                >
                  {asset.owner_id}
                </Button>
              </span>
            ) : (
              <span className="quiet small cut">
                {types[asset.type]} · {versionText(asset)}
              </span>
            )}
            <span className="quiet small cut">
              {filter && `${types[asset.type]} · `}
              {filter && asset.rating !== null && `${ratings[asset.rating]} · `}
              {timeOf(asset, areUpdates || !filter)}
            </span>
            {asset.tags.length > 0 && !isRow && (
              <div className="tags">
                {asset.tags.slice(0, TAGS).map((tag) =>
                  filter ? (
                    <Button
                      key={tag}
                      className="tag"
                      aria-label={`Tag ${tag}`}
                      onPress={() => filter.onTag(tag)}
                    >
                      {tag}
                    </Button>
                  ) : (
                    <span key={tag} className="tag">
                      {tag}
                    </span>
                  ),
                )}
                {asset.tags.length > TAGS && (
                  <span className="quiet small" title={asset.tags.slice(TAGS).join(', ')}>
                    +{asset.tags.length - TAGS}
                  </span>
                )}
              </div>
            )}
          </div>
        </GridListItem>
      )}
    </RowList>
  )
}

function timeOf({ published_at, updated_at }: Asset, isUpdate: boolean): string {
  return isUpdate || published_at === null
    ? `updated ${formatDay(updated_at)}`
    : `published ${formatDay(published_at)}`
}
