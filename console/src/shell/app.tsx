import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../controls/button.tsx'
import { Notices } from '../controls/notice.tsx'
import { keepFocus } from './keep-focus.ts'
import { Pane } from './pane.tsx'
import { type PaneState, usePanes } from './panes.ts'
import { useTheme } from './theme.ts'

/** The page: one pane, or two side by side, each with a user of its own. */
export function App() {
  const [panes, setPanes] = usePanes()
  const [theme, nextTheme] = useTheme()
  // A window narrower than two panes shows one at a time.
  const [front, setFront] = useState(0)
  const change = (index: number, pane: PaneState) =>
    setPanes(panes.map((other, at) => (at === index ? pane : other)))
  const page = useRef<HTMLDivElement>(null)
  useEffect(() => (page.current ? keepFocus(page.current) : undefined), [])
  const addPane = () => {
    setFront(panes.length)
    setPanes([...panes, { key: crypto.randomUUID() }])
  }
  return (
    <div className="app" ref={page}>
      <header className="bar">
        <a className="brand" href="/">
          <img src="/favicon.svg" alt="" width={24} height={24} />
          <span>
            <span className="bar-title">Edge game storage </span>
            <span className="quiet">Console</span>
          </span>
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
          <Button icon="columns" onPress={() => setPanes(panes.slice(0, 1))}>
            One user
          </Button>
        )}
        <IconButton icon="sun" label={`Theme: ${theme}. Change it`} onPress={nextTheme} />
      </header>
      <div className={`panes of-${panes.length}`}>
        {panes.map((pane, index) => (
          <section
            key={pane.key}
            className={index === Math.min(front, panes.length - 1) ? 'pane front' : 'pane'}
            aria-label={pane.identity ? `Signed in as ${pane.identity.user_id}` : `Pane ${index + 1}`}
          >
            <Pane pane={pane} onChange={(changed) => change(index, changed)} />
          </section>
        ))}
      </div>
      <Notices />
    </div>
  )
}
