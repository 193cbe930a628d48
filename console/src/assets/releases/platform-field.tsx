import { TextField } from '../../controls/field.tsx'

const PLATFORM = /^[a-z0-9_]{1,32}$/

/** What is wrong with the name of a platform; null when nothing is. */
export function problemOfPlatform(text: string): string | null {
  return PLATFORM.test(text) ? null : 'A platform has 1 to 32 of the characters a–z, 0–9 and _.'
}

interface Props {
  value: string
  onChange: (value: string) => void
  hint?: string
  isRequired?: boolean
  isFocused?: boolean
}

/** A field for the name of a platform. */
export function PlatformField({ value, onChange, hint, isRequired = false, isFocused = false }: Props) {
  return (
    <TextField
      label="Platform"
      placeholder="windows"
      value={value}
      onChange={(text) => onChange(text.trim().toLowerCase())}
      validate={(text) => (text === '' ? null : problemOfPlatform(text))}
      hint={hint}
      isRequired={isRequired}
      autoFocus={isFocused}
    />
  )
}
