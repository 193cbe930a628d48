import { Button, GridList, GridListItem } from 'react-aria-components'
import { type Asset, types } from '../assets/asset.ts'
import { Picture } from '../assets/picture.tsx'
import { formatDay } from '../controls/format.ts'
import { Favorite } from '../favorites/favorite.tsx'

interface Props {
  label: string
  assets: readonly Asset[]
  /** Whether cards show when an asset was updated, instead of when it was published. */
  areUpdates?: boolean
  onOpen: (asset: Asset) => void
  /** Called with a tag that was pressed. */
  onTag: (tag: string) => void
}

/** The number of tags that a card shows; the asset's page has all. */
const TAGS = 4

/** Assets as cards. Enter or a press opens one; Tab reaches the buttons of a card. */
export function AssetCards({ label, assets, areUpdates = false, onOpen, onTag }: Props) {
  return (
    <GridList
      className="asset-cards"
      aria-label={label}
      layout="grid"
      keyboardNavigationBehavior="tab"
      items={assets}
      dependencies={[areUpdates]}
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
              <span className="cut spread asset-name">{asset.name}</span>
              <Favorite asset={asset} />
            </div>
            <span className="quiet small cut">
              {types[asset.type]} of {asset.owner_id}
            </span>
            <span className="quiet small cut">{timeOf(asset, areUpdates)}</span>
            {asset.tags.length > 0 && (
              <div className="tags">
                {asset.tags.slice(0, TAGS).map((tag) => (
                  <Button key={tag} className="tag" aria-label={`Tag ${tag}`} onPress={() => onTag(tag)}>
                    {tag}
                  </Button>
                ))}
                {asset.tags.length > TAGS && (
                  <span className="quiet small">and {asset.tags.length - TAGS} more</span>
                )}
              </div>
            )}
          </div>
        </GridListItem>
      )}
    </GridList>
  )
}

function timeOf({ published_at, updated_at }: Asset, isUpdate: boolean): string {
  return isUpdate || published_at === null
    ? `updated ${formatDay(updated_at)}`
    : `published ${formatDay(published_at)}`
}
