import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Icon, type IconName } from './icon.tsx'

/** A choice of a menu. */
export interface MenuChoice {
  icon: IconName
  text: string
  onAction: () => void
  isDanger?: boolean
}

interface Props {
  /** Of the button and of the menu. */
  label: string
  choices: readonly MenuChoice[]
  look?: 'plain' | 'quiet'
}

/** A button with a menu. */
export function ChoiceMenu({ label, choices, look = 'plain' }: Props) {
  return (
    <MenuTrigger>
      <Button className={`button ${look} square`} aria-label={label}>
        <Icon name="more" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label={label}>
          {choices.map(({ icon, text, onAction, isDanger }) => (
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
  )
}
