import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../controls/button.tsx'
import { Notices } from '../controls/notice.tsx'
import { randomId } from '../controls/random-id.ts'
import { addressOf, BASE, type Place, placesIn, START } from './address.ts'
import { setDeveloperView, useDeveloperView } from './developer-view.ts'
import { keepFocus } from './keep-focus.ts'
import { Pane } from './pane.tsx'
import { type PaneState, shown, usePanes } from './panes.ts'
import { PlaceProvider } from './place.tsx'
import { useTheme } from './theme.ts'
import { titleCut } from './title-cut.ts'
import { Unreachable } from './unreachable.tsx'
import { usePlaces } from './use-places.ts'

/** The page: one pane, or two side by side, each with a user of its own. */
export function App() {
  const { places, show } = usePlaces()
  const [allPanes, setPanes] = usePanes(places.length)
  const panes = allPanes.filter(({ isHidden }) => !isHidden)
  const [theme, nextTheme] = useTheme()
  const isDeveloper = useDeveloperView()
  // A window narrower than two panes shows one at a time.
  const [front, setFront] = useState(0)
  const change = (index: number, pane: PaneState) =>
    setPanes(allPanes.map((other, at) => (at === index ? pane : other)))
  const page = useRef<HTMLDivElement>(null)
  useEffect(() => (page.current ? keepFocus(page.current) : undefined), [])
  useEffect(titleCut, [])
  const addPane = () => {
    setFront(panes.length)
    setPanes(allPanes.length > 1 ? allPanes.map(shown) : [...panes, { key: randomId() }])
    show((before) => [...before, START], false)
  }
  const hidePane = () => {
    setPanes(allPanes.map((pane, at) => (at === 0 ? pane : { ...pane, isHidden: true })))
    show((before) => before.slice(0, 1), false)
  }
  const placeOf = (index: number) => {
    const moved = (place: Place) => (before: readonly Place[]) =>
      panes.map((_, at) => (at === index ? place : (before[at] ?? START)))
    return {
      place: places[index] ?? START,
      go: (place: Place) => show(moved(place), true),
      replace: (place: Place) => show(moved(place), false),
      hrefOf: (place: Place) => addressOf(moved(place)(places)),
      open: (href: string) => {
        const opened = placesIn(new URL(href, location.href))
        if (href.startsWith(BASE)) show(() => opened, true)
        else location.assign(href)
      },
      isFirst: index === 0,
    }
  }
  return (
    <div className="app" ref={page}>
      <header className="bar">
        <a className="brand" href="/">
          <img src="/static/mark.svg" alt="" width={24} height={24} />
          <span className="brand-title">Edge game storage</span>
          <span className="brand-part">Console</span>
        </a>
        <nav className="row bar-links" aria-label="Other pages">
          <a href="/docs">Reference</a>
          <a href="/guides/">Guides</a>
        </nav>
        {panes.length > 1 && (
          <div className="row pane-switch">
            {panes.map((pane, index) => (
              <Button
                key={pane.key}
                look={index === front ? 'primary' : 'plain'}
                onPress={() => setFront(index)}
              >
                {pane.identity?.user_id ?? `Pane ${index + 1}`}
              </Button>
            ))}
          </div>
        )}
        {panes.length === 1 ? (
          <Button icon="columns" onPress={addPane}>
            Second user
          </Button>
        ) : (
          <Button icon="columns" onPress={hidePane}>
            One user
          </Button>
        )}
        <Button
          icon="code"
          look={isDeveloper ? 'primary' : 'plain'}
          aria-pressed={isDeveloper}
          aria-label="Developer view"
          onPress={() => setDeveloperView(!isDeveloper)}
        >
          <span className="wide-only">Developer view</span>
        </Button>
        <IconButton icon="sun" label={`Theme: ${theme}. Change it`} onPress={nextTheme} />
      </header>
      <Unreachable />
      <div className={`panes of-${panes.length}`}>
        {panes.map((pane, index) => (
          <section
            key={pane.key}
            className={index === Math.min(front, panes.length - 1) ? 'pane front' : 'pane'}
            aria-label={pane.identity ? `Signed in as ${pane.identity.user_id}` : `Pane ${index + 1}`}
          >
            <PlaceProvider {...placeOf(index)}>
              <Pane
                pane={pane}
                others={allPanes.flatMap(({ key, identity }) =>
                  identity && key !== pane.key ? [identity.user_id] : [],
                )}
                onChange={(changed) => change(index, changed)}
              />
            </PlaceProvider>
          </section>
        ))}
      </div>
      <Notices />
    </div>
  )
}
