import type { FocusEvent, ReactNode } from 'react'
import {
  Select as AriaSelect,
  TextField as AriaTextField,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
  TextArea,
  type TextFieldProps,
} from 'react-aria-components'
import { Icon } from './icon.tsx'

interface FieldProps extends Omit<TextFieldProps, 'className' | 'children' | 'style'> {
  label: string
  /** A hint about the value. */
  hint?: ReactNode
  placeholder?: string
  /** Whether the text may have several lines. */
  isLong?: boolean
  /** Whether a long text is words for people, and no code. */
  isProse?: boolean
}

/** A text field. One that has the focus by itself selects its text, so that typing replaces it. */
export function TextField({ label, hint, placeholder, isLong, isProse, ...props }: FieldProps) {
  return (
    <AriaTextField {...props} className="field" {...(props.autoFocus && !isLong && { onFocus: selectAll })}>
      <Label>{label}</Label>
      {isLong ? (
        <TextArea className={isProse ? 'input of-words' : 'input'} placeholder={placeholder} rows={4} />
      ) : (
        <Input className="input" placeholder={placeholder} />
      )}
      {hint && (
        <Text slot="description" className="quiet small">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </AriaTextField>
  )
}

/** Selects the text of a field that gets the focus. */
export function selectAll({ target }: FocusEvent): void {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) target.select()
}

interface SelectProps<Value extends string> {
  label: string
  /** Whether the label is for screen readers only. */
  isLabelHidden?: boolean
  options: Readonly<Record<Value, string>>
  isDisabled?: boolean
  /** A hint about the choice, or why there is none. */
  hint?: ReactNode
  value: Value
  onChange: (value: Value) => void
}

/** A choice of one option of a few. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, isLabelHidden, options, isDisabled = false, hint, value, onChange } = props
  const names = Object.keys(options)
  const isOption = (key: unknown): key is Value => typeof key === 'string' && names.includes(key)
  return (
    <AriaSelect
      className="field"
      aria-label={label}
      value={value}
      isDisabled={isDisabled}
      onChange={(key) => isOption(key) && onChange(key)}
    >
      {!isLabelHidden && <Label>{label}</Label>}
      <Button className="button plain select">
        <SelectValue />
        <span className="turned">
          <Icon name="chevron" size={14} />
        </span>
      </Button>
      {hint && (
        <Text slot="description" className="quiet small">
          {hint}
        </Text>
      )}
      <Popover className="popover">
        <ListBox className="menu">
          {Object.entries<string>(options).map(([id, text]) => (
            <ListBoxItem key={id} id={id} className="menu-item">
              {text}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
