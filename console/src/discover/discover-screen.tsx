import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Input, SearchField } from 'react-aria-components'
import { ASSETS, type AssetType, type TypeChoice, typeChoices } from '../assets/asset.ts'
import { AssetPage } from '../assets/asset-page.tsx'
import { IconButton } from '../controls/button.tsx'
import { Select } from '../controls/field.tsx'
import { Icon } from '../controls/icon.tsx'
import { PublicAssets } from './public-assets.tsx'
import { useSettled } from './use-settled.ts'
import '../assets/assets.css'

/** The open asset: from the list, or from another asset's page. */
interface Opened {
  id: string
  publicType?: AssetType
}

/** Browses and searches the public assets of all users. */
export function DiscoverScreen() {
  const cache = useQueryClient()
  const [opened, setOpened] = useState<Opened>()
  const [type, setType] = useState<TypeChoice>('all')
  const [text, setText] = useState('')
  const q = useSettled(text.trim())
  const close = () => setOpened(undefined)
  const open = (id: string) => setOpened({ id })
  if (opened) return <AssetPage {...opened} from="Discover" onOpen={open} onClose={close} />
  return (
    <div className="stack asset-screen">
      <div className="row asset-bar">
        <SearchField
          className="asset-search"
          aria-label="Search public assets by name"
          value={text}
          onChange={setText}
          maxLength={100}
        >
          <Icon name="search" />
          <Input className="input" placeholder="Search by name" />
          {text !== '' && <IconButton icon="close" label="Clear the search" />}
        </SearchField>
        <Select label="Type" isLabelHidden options={typeChoices} value={type} onChange={setType} />
        <IconButton
          icon="restore"
          label="Look for new ones"
          onPress={() => void cache.invalidateQueries({ queryKey: [ASSETS] })}
        />
      </div>
      <PublicAssets type={type} q={q} onOpen={({ id, type: publicType }) => setOpened({ id, publicType })} />
    </div>
  )
}
