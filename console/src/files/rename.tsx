import { useRef, useState } from 'react'
import { Input, TextField } from 'react-aria-components'
import { useActions } from './actions.ts'
import type { Item } from './item.ts'

/** A field in place of an item's name. Enter and leaving the field save the new name; Escape discards it. */
export function Rename({ item, onDone }: { item: Item; onDone: () => void }) {
  const { rename } = useActions()
  const [name, setName] = useState(item.name)
  const [isPending, setPending] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const hasEnded = useRef(false)
  /** Ends by a key or by leaving the field. After a key, the focus is on the row, where arrow keys go on. */
  const end = async (by: 'Enter' | 'Escape' | 'blur') => {
    if (hasEnded.current) return
    hasEnded.current = true
    setPending(true)
    const row = input.current?.closest<HTMLElement>('[role="row"]')
    if (by !== 'Escape' && name.trim() !== '' && name !== item.name) await rename(item, name)
    if (by !== 'blur') row?.focus()
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
        if (event.key === 'Enter' || event.key === 'Escape') void end(event.key)
      }}
      onBlur={() => void end('blur')}
      autoFocus
    >
      <Input
        ref={input}
        className="input file-name"
        onFocus={({ currentTarget }) => selectStem(currentTarget)}
      />
    </TextField>
  )
}

/** Selects the name without its extension, which rarely changes. */
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.')
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length)
}
