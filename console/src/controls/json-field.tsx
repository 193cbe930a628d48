import { TextField } from './field.tsx'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
}

/** A field for a JSON object. Says where the text is no JSON, and keeps its form from being submitted. */
export function JsonField(props: Props) {
  return (
    <TextField
      {...props}
      validate={(text) => {
        const read = readObject(text)
        return 'problem' in read ? read.problem : null
      }}
      isLong
      isRequired
    />
  )
}

/** The object of a text that a JsonField has accepted. @throws TypeError when the text is no JSON object */
export function objectOf(text: string): Record<string, unknown> {
  const read = readObject(text)
  if ('problem' in read) throw new TypeError(read.problem)
  return read.object
}

function readObject(text: string): { object: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { object: { ...value } }
    return { problem: 'This is no JSON object: it has to begin with { and to end with }.' }
  } catch (error) {
    return { problem: `This is no JSON. ${error instanceof Error ? error.message : ''}` }
  }
}
