import { useState } from 'react'
import { Input, TextField } from 'react-aria-components'
import { useActions } from './actions.ts'
import type { Item } from './item.ts'

/** A field in place of an item's name. Enter and leaving the field save the new name; Escape discards it. */
export function Rename({ item, onDone }: { item: Item; onDone: () => void }) {
  const { rename } = useActions()
  const [name, setName] = useState(item.name)
  const [isPending, setPending] = useState(false)
  const submit = async () => {
    if (isPending) return
    setPending(true)
    if (name.trim() !== '' && name !== item.name) await rename(item, name)
    onDone()
  }
  return (
    <TextField
      className="spread"
      aria-label={`New name of ${item.name}`}
      value={name}
      onChange={setName}
      isReadOnly={isPending}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void submit()
        else if (event.key === 'Escape') onDone()
      }}
      onBlur={() => void submit()}
      autoFocus
    >
      <Input className="input file-name" onFocus={({ currentTarget }) => selectStem(currentTarget)} />
    </TextField>
  )
}

/** Selects the name without its extension, which rarely changes. */
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.')
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length)
}
