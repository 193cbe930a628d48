import {
  Input,
  SearchField,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { Select } from '../controls/field.tsx'
import { Icon, type IconName } from '../controls/icon.tsx'
import { usualOrder, type View } from './listing.ts'

const sorts = { name: 'Name', created_at: 'Created', size_bytes: 'Size' }
const types = {
  all: 'All types',
  folder: 'Folders',
  file: 'Files',
  profile_pic: 'Profile pictures',
  emote: 'Emotes',
  chat_attachment: 'Chat attachments',
}

/** How items are shown. */
export type Layout = 'list' | 'grid'

export interface ViewOptionsProps {
  view: View
  onView: (view: View) => void
  layout: Layout
  onLayout: (layout: Layout) => void
  /** What the names of the shown items have in them. */
  search: string
  onSearch: (search: string) => void
}

/** The choice of filter, sort and order, and of list or grid. */
export function ViewOptions({ view, onView, layout, onLayout, search, onSearch }: ViewOptionsProps) {
  const { sort, order, asset_type, areFoldersFirst } = view
  return (
    <div className="row files-view">
      <SearchField
        className="file-search"
        aria-label="Search the loaded names"
        value={search}
        onChange={onSearch}
      >
        <Icon name="search" />
        <Input className="input" placeholder="Search this folder" />
        {search !== '' && <IconButton icon="close" label="Clear the search" />}
      </SearchField>
      <Select
        label="Type"
        isLabelHidden
        options={types}
        value={asset_type ?? 'all'}
        onChange={(type) => onView({ ...view, asset_type: type === 'all' ? undefined : type })}
      />
      <Select
        label="Sort"
        isLabelHidden
        options={sorts}
        value={sort}
        onChange={(next) => onView({ ...view, sort: next, order: usualOrder[next] })}
      />
      <div className="row files-switches">
        <IconButton
          look="plain"
          icon={order === 'asc' ? 'ascending' : 'descending'}
          label={order === 'asc' ? 'Ascending order. Reverse it' : 'Descending order. Reverse it'}
          onPress={() => onView({ ...view, order: order === 'asc' ? 'desc' : 'asc' })}
        />
        <Toggle
          icon="folder-up"
          label="Folders first"
          isSelected={areFoldersFirst}
          onChange={(are) => onView({ ...view, areFoldersFirst: are })}
        />
        <ToggleButtonGroup
          className="row layouts"
          aria-label="Layout"
          disallowEmptySelection
          selectedKeys={[layout]}
          onSelectionChange={(keys) => onLayout(keys.has('grid') ? 'grid' : 'list')}
        >
          <Toggle id="list" icon="list" label="List" />
          <Toggle id="grid" icon="grid" label="Grid" />
        </ToggleButtonGroup>
      </div>
    </div>
  )
}

interface ToggleProps {
  id?: string
  icon: IconName
  /** The label for screen readers, and the tooltip. */
  label: string
  isSelected?: boolean
  onChange?: (isSelected: boolean) => void
}

function Toggle({ icon, label, ...props }: ToggleProps) {
  return (
    <TooltipTrigger delay={500}>
      <ToggleButton {...props} aria-label={label} className="button plain square toggle">
        <Icon name={icon} />
      </ToggleButton>
      <Tooltip className="tooltip">{label}</Tooltip>
    </TooltipTrigger>
  )
}
