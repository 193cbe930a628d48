import { TextField } from './field.tsx'

interface Props {
  value: string
  onChange: (value: string) => void
}

/** A field for a type of the game's own. Keeps its form from being submitted without a dot in it. */
export function OwnTypeField(props: Props) {
  return (
    <TextField
      {...props}
      label="Own type, with a dot"
      validate={(text) => (hasDot(text) ? null : WITHOUT_DOT)}
      isRequired
    />
  )
}

const WITHOUT_DOT = 'A type of the game’s own has a dot, as in shop.gift.'

/** The type that an OwnTypeField has accepted. @throws TypeError when it has no dot */
export function ownTypeOf(text: string): `${string}.${string}` {
  const type = text.trim()
  if (!hasDot(type)) throw new TypeError(WITHOUT_DOT)
  return type
}

const hasDot = (text: string): text is `${string}.${string}` => text.includes('.')
