import { TextField } from '../controls/field.tsx'

export const TAG = /^[a-z0-9_-]{1,32}$/
const MAX_TAGS = 16

/** A field for the tags of an asset, with spaces or commas between them. */
export function TagsField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label="Tags"
      value={value}
      onChange={onChange}
      onBlur={() => onChange(tagsOf(value).join(' '))}
      validate={problemOf}
      hint="With spaces between them: at most 16, each of a–z, 0–9, _ and -."
    />
  )
}

/** The tags of a text, each once. Capitals become small letters, which is what tags have. */
export function tagsOf(text: string): string[] {
  return [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    ),
  ]
}

function problemOf(text: string): string | null {
  const tags = tagsOf(text)
  const wrong = tags.find((tag) => !TAG.test(tag))
  if (wrong !== undefined)
    return `“${wrong}” is no tag: a tag has 1 to 32 of the characters a–z, 0–9, _ and -.`
  return tags.length > MAX_TAGS ? `These are ${tags.length} tags. An asset has at most ${MAX_TAGS}.` : null
}
