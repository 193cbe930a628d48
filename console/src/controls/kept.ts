import { useState } from 'react'

/** A choice that the browser keeps for the next visit. `options`: the values that it may have, the default first. */
export function useKept<Value extends string>(
  key: string,
  options: readonly [Value, ...Value[]],
): [Value, (value: Value) => void] {
  const [value, setValue] = useState(
    () => options.find((option) => option === localStorage.getItem(key)) ?? options[0],
  )
  const keep = (chosen: Value) => {
    localStorage.setItem(key, chosen)
    setValue(chosen)
  }
  return [value, keep]
}
