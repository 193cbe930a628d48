import { useEffect, useState } from 'react'

const SETTLED_MS = 250

/** A text once its typing has paused. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
