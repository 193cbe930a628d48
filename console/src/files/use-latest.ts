import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same and calls the latest `act`. The rows of a list are cached, and would call an old one. */
export function useLatest<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
