import { useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { copyText } from '../controls/copy.ts'
import { Icon, type IconName } from '../controls/icon.tsx'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import type { Asset } from './asset.ts'

interface Choice {
  icon: IconName
  text: string
  onAction: () => void
  isDanger?: boolean
}

interface Props {
  asset: Asset
  choices: readonly Choice[]
  look?: 'plain' | 'quiet'
}

/** The button with the menu of an asset: these choices, and those that every asset has. */
export function AssetMenu({ asset, choices, look = 'plain' }: Props) {
  const { go } = usePlace()
  const { user_id } = useSession()
  const [isReporting, setReporting] = useState(false)
  const { id, name, owner_id } = asset
  const all: Choice[] = [
    ...choices.filter(({ isDanger }) => !isDanger),
    {
      icon: 'globe',
      text: `All public assets by ${owner_id}`,
      onAction: () => go([], { owner: owner_id }, 'discover'),
    },
    {
      icon: 'copy',
      text: 'Copy the id',
      onAction: () => void copyText(id, `The id of ${name} is copied.`),
    },
    ...(owner_id === user_id
      ? []
      : [{ icon: 'flag' as const, text: 'Report', onAction: () => setReporting(true) }]),
    ...choices.filter(({ isDanger }) => isDanger),
  ]
  return (
    <>
      <MenuTrigger>
        <Button className={`button ${look} square`} aria-label={`Actions for ${name}`}>
          <Icon name="more" />
        </Button>
        <Popover className="popover" placement="bottom end">
          <Menu className="menu" aria-label={`Actions for ${name}`}>
            {all.map(({ icon, text, onAction, isDanger }) => (
              <MenuItem
                key={text}
                className={isDanger ? 'menu-item danger' : 'menu-item'}
                onAction={onAction}
                textValue={text}
              >
                <Icon name={icon} />
                {text}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      {isReporting && (
        <ReportDialog target={{ type: 'asset', id }} name={name} onClose={() => setReporting(false)} />
      )}
    </>
  )
}
