import { useState } from 'react'
import { ToggleButton } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Select } from '../controls/field.tsx'
import { Icon } from '../controls/icon.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { ASSETS, isTypeChoice, type TypeChoice, typeChoices, typeOf } from './asset.ts'
import { AssetCards } from './asset-cards.tsx'
import { AssetPage } from './asset-page.tsx'
import { DeletedAssets } from './deleted-assets.tsx'
import { NewAsset } from './new-asset.tsx'
import './assets.css'

export const build = BUILD

/** The user's own worlds, avatars and props. */
export function AssetsScreen() {
  const { path, query, go, change } = usePlace()
  const [opened, tab] = path
  const type = isTypeChoice(query.type) ? query.type : 'all'
  const isDeleted = opened === 'deleted'
  const open = (id: string) => go([id])
  const [isCreating, setCreating] = useState(false)
  if (opened !== undefined && !isDeleted)
    return <AssetPage id={opened} tab={tab} from="Assets" onOpen={open} onClose={() => go([])} />
  return (
    <div className="stack asset-screen">
      <PageTitle
        actions={
          <>
            <Select
              label="Type"
              isLabelHidden
              options={typeChoices}
              value={type}
              onChange={(next) => change({ type: next })}
            />
            <ToggleButton
              className="button plain toggle"
              isSelected={isDeleted}
              onChange={(is) => go(is ? ['deleted'] : [], query)}
            >
              <Icon name="trash" />
              Deleted
            </ToggleButton>
            <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
              New asset
            </Button>
          </>
        }
      >
        Assets
      </PageTitle>
      {isDeleted ? <DeletedAssets type={type} /> : <OwnAssets type={type} onOpen={open} />}
      {isCreating && <NewAsset type={type === 'all' ? 'world' : type} onClose={() => setCreating(false)} />}
    </div>
  )
}

function OwnAssets({ type, onOpen }: { type: TypeChoice; onOpen: (id: string) => void }) {
  const { client } = useSession()
  const list = usePages({
    queryKey: [ASSETS, 'own', type],
    read: (cursor, signal) =>
      client.assets.list({ ...typeOf(type), limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.assets,
    keepsPrevious: true,
  })
  return (
    <Pages
      list={list}
      empty={
        <Empty icon="box" title="No assets here yet">
          An asset is a world, an avatar or a prop that is built in the game. Make one with New asset, or
          branch one of somebody else’s in Discover.
        </Empty>
      }
    >
      {(assets) => <AssetCards label="Your assets" assets={assets} onOpen={({ id }) => onOpen(id)} />}
    </Pages>
  )
}
