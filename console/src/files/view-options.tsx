import {
  Button,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  SearchField,
  type Selection,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { Select } from '../controls/field.tsx'
import { Icon, type IconName } from '../controls/icon.tsx'
import type { View } from './listing.ts'
import { usualOrder } from './order.ts'

const sorts = { name: 'Name', size_bytes: 'Size', updated_at: 'Modified', created_at: 'Created' }
const orders = {
  name: { asc: 'A to Z', desc: 'Z to A' },
  size_bytes: { asc: 'Smallest first', desc: 'Largest first' },
  updated_at: { asc: 'Oldest first', desc: 'Newest first' },
  created_at: { asc: 'Oldest first', desc: 'Newest first' },
}
const types = {
  all: 'All types',
  folder: 'Folders',
  file: 'Files',
  profile_pic: 'Profile pictures',
  emote: 'Emotes',
  chat_attachment: 'Chat attachments',
}
const layouts = { list: 'List', grid: 'Grid' }

/** How items are shown. */
export type Layout = keyof typeof layouts

export interface ViewOptionsProps {
  view: View
  onView: (view: View) => void
  layout: Layout
  onLayout: (layout: Layout) => void
  /** What the names of the shown items have in them. */
  search: string
  onSearch: (search: string) => void
  /** Whether there is little room: one menu has all choices. */
  isNarrow: boolean
}

/** The search, and the choice of filter, order, and list or grid. */
export function ViewOptions(props: ViewOptionsProps) {
  const { view, onView, layout, onLayout, search, onSearch, isNarrow } = props
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
      {!isNarrow && (
        <Select
          label="Type"
          isLabelHidden
          options={types}
          value={view.asset_type ?? 'all'}
          onChange={(type) => onView(ofType(view, type))}
        />
      )}
      <ViewMenu {...props} />
      {!isNarrow && (
        <ToggleButtonGroup
          className="row layouts"
          aria-label="Layout"
          disallowEmptySelection
          selectedKeys={[layout]}
          onSelectionChange={(keys) => onLayout(keys.has('grid') ? 'grid' : 'list')}
        >
          <Toggle id="list" icon="list" label={layouts.list} />
          <Toggle id="grid" icon="grid" label={layouts.grid} />
        </ToggleButtonGroup>
      )}
    </div>
  )
}

const ofType = (view: View, type: keyof typeof types): View => ({
  ...view,
  asset_type: type === 'all' ? undefined : type,
})

/** The menu with the order of the items, and with the other choices where they have no room of their own. */
function ViewMenu({ view, onView, layout, onLayout, isNarrow }: ViewOptionsProps) {
  const { sort, order, areFoldersFirst, asset_type } = view
  return (
    <MenuTrigger>
      <Button
        className={isNarrow ? 'button plain square' : 'button plain'}
        aria-label={isNarrow ? 'Order, type and layout' : `Order: ${sorts[sort]}, ${orders[sort][order]}`}
      >
        <Icon name={order === 'asc' ? 'ascending' : 'descending'} />
        {!isNarrow && sorts[sort]}
      </Button>
      <Popover className="popover">
        <Menu className="menu" aria-label="How the items are shown">
          <Choices
            title="Sort by"
            options={sorts}
            value={sort}
            onChange={(next) => onView({ ...view, sort: next, order: usualOrder[next] })}
          />
          <Choices
            title="Order"
            options={orders[sort]}
            value={order}
            onChange={(next) => onView({ ...view, order: next })}
          />
          <MenuSection
            aria-label="Folders"
            className="menu-section"
            selectionMode="multiple"
            selectedKeys={areFoldersFirst ? ['folders'] : []}
            onSelectionChange={(keys) => onView({ ...view, areFoldersFirst: has(keys, 'folders') })}
          >
            <Choice id="folders">Folders first</Choice>
          </MenuSection>
          {isNarrow && (
            <Choices
              title="Type"
              options={types}
              value={asset_type ?? 'all'}
              onChange={(type) => onView(ofType(view, type))}
            />
          )}
          {isNarrow && <Choices title="Layout" options={layouts} value={layout} onChange={onLayout} />}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

interface ChoicesProps<Value extends string> {
  title: string
  options: Readonly<Record<Value, string>>
  value: Value
  onChange: (value: Value) => void
}

/** A part of the menu in which one of a few is chosen. */
function Choices<Value extends string>({ title, options, value, onChange }: ChoicesProps<Value>) {
  const values = Object.keys(options)
  const isOption = (key: string): key is Value => values.includes(key)
  return (
    <MenuSection
      className="menu-section"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = values.find((one) => has(keys, one))
        if (chosen !== undefined && isOption(chosen)) onChange(chosen)
      }}
    >
      <Header className="quiet small">{title}</Header>
      {Object.entries<string>(options).map(([id, text]) => (
        <Choice key={id} id={id}>
          {text}
        </Choice>
      ))}
    </MenuSection>
  )
}

function Choice({ id, children }: { id: string; children: string }) {
  return (
    <MenuItem id={id} className="menu-item" textValue={children}>
      {({ isSelected }) => (
        <>
          <span className="choice-mark">{isSelected && <Icon name="check" />}</span>
          {children}
        </>
      )}
    </MenuItem>
  )
}

const has = (keys: Selection, key: string) => keys === 'all' || keys.has(key)

interface ToggleProps {
  id: string
  icon: IconName
  /** The label for screen readers, and the tooltip. */
  label: string
}

function Toggle({ id, icon, label }: ToggleProps) {
  return (
    <TooltipTrigger delay={500}>
      <ToggleButton id={id} aria-label={label} className="button plain square toggle">
        <Icon name={icon} />
      </ToggleButton>
      <Tooltip className="tooltip">{label}</Tooltip>
    </TooltipTrigger>
  )
}
