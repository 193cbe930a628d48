import { useCallback, useEffect, useRef, useState } from 'react'
import { addressOf, type Place, placesIn } from './address.ts'

type Panes = readonly Place[]

interface Places {
  /** The places of the panes, the first one's first. It may have fewer than there are panes. */
  places: Panes
  /** Shows other places. `isStep`: the way back leads to those before. */
  show: (next: (places: Panes) => Panes, isStep: boolean) => void
}

/**
 * The places of the panes, which the page's address holds. Back and forward change the places, not the number of panes: an entry
 * of the history that knows one pane leaves the second where it is.
 */
export function usePlaces(): Places {
  const [places, setPlaces] = useState(() => placesIn(location))
  // The latest, for what was begun before the last rendering.
  const latest = useRef(places)
  const set = useCallback((next: Panes) => {
    latest.current = next
    setPlaces(next)
  }, [])
  useEffect(() => {
    const moved = () => {
      const entry = placesIn(location)
      set([...entry, ...latest.current.slice(entry.length)])
    }
    addEventListener('popstate', moved)
    return () => removeEventListener('popstate', moved)
  }, [set])
  const show: Places['show'] = (change, isStep) => {
    const next = change(latest.current)
    const isOther = addressOf(next) !== addressOf(latest.current)
    if (isOther && isStep) history.pushState(null, '', addressOf(next))
    else if (isOther) history.replaceState(null, '', addressOf(next))
    set(next)
  }
  return { places, show }
}
