import { type RefObject, useLayoutEffect, useState } from 'react'

/** Whether an element has at least this many pixels of width: two panes share a window, so the window's does not say it. */
export function useIsWide(element: RefObject<HTMLElement | null>, pixels: number): boolean {
  const [isWide, setWide] = useState(true)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setWide(current.clientWidth >= pixels)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element, pixels])
  return isWide
}
