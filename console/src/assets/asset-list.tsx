import type { ReactNode } from 'react'
import { GridListItem } from 'react-aria-components'
import { formatTime } from '../controls/format.ts'
import { RowList } from '../controls/row-list.tsx'
import { type Asset, types, versionText } from './asset.ts'
import { Badges } from './badges.tsx'
import { Picture } from './picture.tsx'

interface Props {
  label: string
  assets: readonly Asset[]
  /** Called when a row is opened. Without it, rows can't be opened. */
  onOpen?: (asset: Asset) => void
  /** Whether rows show the owner, as in lists of others' assets. */
  hasOwners?: boolean
  /** Buttons at the end of a row. */
  actions?: (asset: Asset) => ReactNode
}

/** Assets in rows. Enter or a press opens one; arrows right and left reach the buttons of a row. */
export function AssetList({ label, assets, onOpen, hasOwners, actions }: Props) {
  return (
    <RowList
      className="asset-list"
      aria-label={label}
      items={assets}
      dependencies={[actions]}
      onAction={(key) => {
        const asset = assets.find(({ id }) => id === key)
        if (asset) onOpen?.(asset)
      }}
    >
      {(asset) => (
        <GridListItem
          id={asset.id}
          textValue={asset.name}
          className={onOpen ? 'asset-row opens' : 'asset-row'}
        >
          <Picture asset={asset} place="row" />
          <span className="spread">
            <span className="row">
              <span className="cut asset-name" dir="auto">
                {asset.name}
              </span>
              <Badges asset={asset} />
            </span>
            <span className="quiet small cut asset-facts">
              {[
                types[asset.type],
                ...(hasOwners ? [`by ${asset.owner_id}`] : []),
                versionText(asset),
                formatTime(asset.updated_at),
              ].join(' · ')}
            </span>
          </span>
          {actions?.(asset)}
        </GridListItem>
      )}
    </RowList>
  )
}
