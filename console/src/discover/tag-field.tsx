import { useState } from 'react'
import { Button, FieldError, Form, Input, TextField } from 'react-aria-components'
import { TAG } from '../assets/tags-field.tsx'
import { Icon } from '../controls/icon.tsx'

interface Props {
  /** The tags of the assets that are shown and not in the filter, the most frequent first. */
  suggestions: readonly string[]
  /** Called with a tag that is to be in the filter. */
  onAdd: (tag: string) => void
}

/** The number of suggestions beside the field. */
const SUGGESTIONS = 8

/** A field that adds a tag to the filter, with suggestions, which what is typed narrows down. */
export function TagField({ suggestions, onAdd }: Props) {
  const [text, setText] = useState('')
  const [isRefused, setRefused] = useState(false)
  const tag = text.trim().toLowerCase()
  const shown = suggestions.filter((one) => one.includes(tag)).slice(0, SUGGESTIONS)
  const write = (next: string) => {
    setText(next)
    setRefused(false)
  }
  const add = (added: string) => {
    onAdd(added)
    write('')
  }
  return (
    <>
      <Form
        onSubmit={(event) => {
          event.preventDefault()
          if (TAG.test(tag)) add(tag)
          else setRefused(tag !== '')
        }}
      >
        <TextField
          className="field tag-field"
          aria-label="Add a tag"
          value={text}
          onChange={write}
          isInvalid={isRefused}
          validationBehavior="aria"
        >
          <Input className="input" placeholder="Add a tag" autoCapitalize="none" />
          <FieldError className="field-error">
            A tag has 1 to 32 of the characters a–z, 0–9, _ and -.
          </FieldError>
        </TextField>
      </Form>
      {shown.length > 0 && (
        <fieldset className="tag-suggestions" aria-label="Tags of what is shown">
          {shown.map((one) => (
            <Button key={one} className="tag" aria-label={`Filter by ${one}`} onPress={() => add(one)}>
              <Icon name="plus" size={12} />
              {one}
            </Button>
          ))}
        </fieldset>
      )}
    </>
  )
}
