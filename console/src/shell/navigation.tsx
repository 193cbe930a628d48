import { useEffect, useId, useState } from 'react'
import { Button, Tab, TabList } from 'react-aria-components'
import { Icon } from '../controls/icon.tsx'
import { UnreadBadge } from '../inbox/unread-badge.tsx'
import { type Place, startOf } from './address.ts'
import { usePane } from './place.tsx'
import { type ScreenName, screenNames, screenOf, screens } from './screens.ts'

/** The screens that a narrow pane shows before "More". */
const first: readonly ScreenName[] = ['files', 'assets', 'discover', 'inbox']

/** The screens of a pane: beside what is shown, or below it in a narrow pane, where "More" shows the rest of them. */
export function Navigation({ screen }: { screen: ScreenName | undefined }) {
  const { place, go, hrefOf } = usePane()
  const visited = useVisited(place)
  const badge = useId()
  const [areAllShown, setAllShown] = useState(false)
  // Whoever has chosen a screen is done with the rest.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => setAllShown(false), [place])
  const isInMore = screen !== undefined && !first.includes(screen)
  return (
    <div className={areAllShown ? 'navigation all' : 'navigation'}>
      <TabList className="tabs" aria-label="Screens">
        {screenNames.map((name) => (
          <Tab
            key={name}
            id={name}
            href={hrefOf(visited.get(name) ?? startOf(name))}
            // The tab of the screen that is shown leads to its start.
            onPress={() => name === screen && go(startOf(name))}
            className={first.includes(name) ? 'screen-tab' : 'screen-tab in-more'}
            {...(name === 'inbox' && { 'aria-describedby': badge })}
          >
            <Icon name={screens[name].icon} size={18} />
            <span>{screens[name].title}</span>
            {name === 'inbox' && <UnreadBadge id={badge} />}
          </Tab>
        ))}
      </TabList>
      <Button
        className={isInMore && !areAllShown ? 'screen-tab more holds-selected' : 'screen-tab more'}
        aria-expanded={areAllShown}
        onPress={() => setAllShown(!areAllShown)}
      >
        <Icon name={areAllShown ? 'close' : 'more'} size={18} />
        <span>{areAllShown ? 'Less' : 'More'}</span>
      </Button>
    </div>
  )
}

/** The last place of each screen: its tab leads back to it, and from there to the start of the screen. */
function useVisited(place: Place): ReadonlyMap<string, Place> {
  const [visited, setVisited] = useState<ReadonlyMap<string, Place>>(new Map())
  useEffect(() => {
    // Not the item whose details were shown: over a narrow list they would hide it.
    const { selected: _, ...query } = place.query
    if (screenOf(place)) setVisited((before) => new Map(before).set(place.screen, { ...place, query }))
  }, [place])
  return visited
}
