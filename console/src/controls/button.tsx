import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  type ButtonProps,
  ProgressBar,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components'
import { Icon, type IconName } from './icon.tsx'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

interface Props extends Omit<ButtonProps, 'className' | 'children' | 'style'> {
  look?: Look
  icon?: IconName
  children: ReactNode
}

/** A button with a text. While `isPending`, it keeps the focus and ignores presses. */
export function Button({ look = 'plain', icon, children, ...props }: Props) {
  return (
    <AriaButton {...props} className={`button ${look}`}>
      {icon && <Icon name={icon} />}
      {children}
      {props.isPending && <ProgressBar className="hidden-text" aria-label="Working" isIndeterminate />}
    </AriaButton>
  )
}

interface IconButtonProps extends Omit<Props, 'children' | 'icon'> {
  icon: IconName
  /** The label for screen readers, and the tooltip. */
  label: string
}

/** A button that shows only an icon. */
export function IconButton({ icon, label, look = 'quiet', ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...props} aria-label={label} className={`button ${look} square`}>
        <Icon name={icon} />
      </AriaButton>
      <Tooltip className="tooltip">{label}</Tooltip>
    </TooltipTrigger>
  )
}
