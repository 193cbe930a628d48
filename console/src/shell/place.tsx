import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { RouterProvider } from 'react-aria-components'
import type { Place } from './address.ts'

interface PlaceOfPane {
  place: Place
  /** Shows another place in this pane. The way back leads to the place before. */
  go: (place: Place) => void
  /** Changes the place without a step: the way back does not lead to the place before. */
  replace: (place: Place) => void
  /** The page's address with another place in this pane, for links. */
  hrefOf: (place: Place) => string
  /** Opens an address that `hrefOf` has made. */
  open: (href: string) => void
  /** Whether the page's title is that of this pane. */
  isFirst: boolean
}

const PlaceContext = createContext<PlaceOfPane | undefined>(undefined)

/** Provides the place of a pane. Links of React Aria in it that have an address of the console load no page. */
export function PlaceProvider({ children, ...pane }: PlaceOfPane & { children: ReactNode }) {
  return (
    <PlaceContext value={pane}>
      <RouterProvider navigate={pane.open}>{children}</RouterProvider>
    </PlaceContext>
  )
}

/** The place of the pane: `path` and `query` of its screen, and functions that change them. */
export function usePlace() {
  const { place, go, replace, hrefOf } = usePane()
  const { screen } = place
  return {
    ...place,
    /** Shows another part of the screen, or of the screen that is named. The way back leads here. */
    go: (path: readonly string[], query: Place['query'] = {}, to = screen) => go({ screen: to, path, query }),
    /** Changes some of the query; '' removes a value. The way back does not lead here. */
    change: (query: Place['query']) => replace({ ...place, query: { ...place.query, ...query } }),
    /** The page's address with another part of a screen in this pane. */
    hrefOf: (path: readonly string[], query: Place['query'] = {}, to = screen) =>
      hrefOf({ screen: to, path, query }),
  }
}

/** The pane around: its place, and how to show another. */
export function usePane(): PlaceOfPane {
  const pane = useContext(PlaceContext)
  if (!pane) throw new Error('This is shown outside of a pane.')
  return pane
}

/** The title of the page where nothing names it closer. */
const PAGE = 'Console'

/** What names the page now. The latest is its title. They end in any order: those around before those in them. */
const titles: { readonly title: string }[] = []

function showTitle(): void {
  const latest = titles.at(-1)
  document.title = latest ? `${latest.title} · ${PAGE}` : PAGE
}

/** Names what the pane shows in the title of the page, while it is shown. Undefined: the name is not known yet. */
export function useTitle(title: string | undefined): void {
  const { isFirst } = usePane()
  useEffect(() => {
    if (!isFirst || title === undefined) return
    const shown = { title }
    titles.push(shown)
    showTitle()
    return () => {
      titles.splice(titles.indexOf(shown), 1)
      showTitle()
    }
  }, [isFirst, title])
}
