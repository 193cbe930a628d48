import { type ReactNode, useEffect, useState } from 'react'
import { Link, Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { AssetsScreen } from '../assets/assets-screen.tsx'
import { IconButton } from '../controls/button.tsx'
import { Icon } from '../controls/icon.tsx'
import { Empty } from '../controls/status.tsx'
import { DiscoverScreen } from '../discover/discover-screen.tsx'
import { FilesScreen } from '../files/files-screen.tsx'
import { InboxScreen } from '../inbox/inbox-screen.tsx'
import { OperatorsScreen } from '../operators/operators-screen.tsx'
import { Avatar } from '../profile/avatar.tsx'
import { RequestPanel } from '../requests/request-panel.tsx'
import { SavesScreen } from '../saves/saves-screen.tsx'
import { SessionProvider, useSession } from '../session/session.tsx'
import { SignIn } from '../session/sign-in-form.tsx'
import { SharedScreen } from '../shares/shared-screen.tsx'
import { TrashScreen } from '../trash/trash-screen.tsx'
import { UploadsProvider } from '../uploads/uploads.tsx'
import { UploadsPanel } from '../uploads/uploads-panel.tsx'
import { type Place, START, startOf } from './address.ts'
import type { PaneState } from './panes.ts'
import { usePane, useTitle } from './place.tsx'
import { type ScreenName, screenNames, screenOf, screens } from './screens.ts'

const shown: Record<ScreenName, () => ReactNode> = {
  files: FilesScreen,
  shared: SharedScreen,
  trash: TrashScreen,
  saves: SavesScreen,
  assets: AssetsScreen,
  discover: DiscoverScreen,
  inbox: InboxScreen,
  operators: OperatorsScreen,
}

interface Props {
  pane: PaneState
  onChange: (pane: PaneState) => void
}

/** One user: the sign-in, or their screens with the requests below. After the sign-in the place of the address is shown. */
export function Pane({ pane, onChange }: Props) {
  const { place, replace } = usePane()
  const { identity } = pane
  if (!identity) return <SignIn onSignIn={(signedIn) => onChange({ ...pane, identity: signedIn })} />
  const signOut = () => {
    const { identity: _, ...signedOut } = pane
    onChange(signedOut)
    // What is open is the user's own, so the next one begins at the list.
    replace(startOf(place.screen))
  }
  return (
    <SessionProvider
      identity={identity}
      onIdentity={(changed) => onChange({ ...pane, identity: changed })}
      onSignOut={signOut}
    >
      <UploadsProvider>
        <Screens />
      </UploadsProvider>
    </SessionProvider>
  )
}

function Screens() {
  const { user_id, scopes, signOut } = useSession()
  const { place, go, hrefOf } = usePane()
  const screen = screenOf(place)
  const visited = useVisited(place)
  const [areRequestsOpen, setRequestsOpen] = useState(() => matchMedia('(min-width: 760px)').matches)
  return (
    <div className="screens">
      <Tabs className="screen-tabs" selectedKey={screen ?? ''}>
        <div className="pane-head">
          <TabList className="tabs" aria-label="Screens">
            {screenNames.map((name) => (
              <Tab
                key={name}
                id={name}
                href={hrefOf(visited.get(name) ?? startOf(name))}
                // The tab of the screen that is shown leads to its start.
                onPress={() => name === screen && go(startOf(name))}
                className="tab"
              >
                {/* Narrow panes hide the text, so the icon needs a label. */}
                <span className="tab-icon" title={screens[name].title} aria-hidden="true">
                  <Icon name={screens[name].icon} />
                </span>
                <span className="tab-text">{screens[name].title}</span>
              </Tab>
            ))}
          </TabList>
          <div className="row who">
            <Avatar />
            <span className="cut" title={scopes.join(' ')}>
              {user_id}
            </span>
            <IconButton
              icon="code"
              label={areRequestsOpen ? 'Hide the requests' : 'Show the requests'}
              onPress={() => setRequestsOpen(!areRequestsOpen)}
            />
            <IconButton icon="close" label="Sign out" onPress={signOut} />
          </div>
        </div>
        {screenNames.map((name) => {
          const Screen = shown[name]
          return (
            <TabPanel key={name} id={name} className="screen">
              <Title of={screens[name].title} />
              <Screen />
            </TabPanel>
          )
        })}
        {screen === undefined && <NoScreen />}
      </Tabs>
      <UploadsPanel />
      {areRequestsOpen && <RequestPanel />}
    </div>
  )
}

/** The title of the page, before what is in the screen may name it closer. */
function Title({ of }: { of: string }) {
  useTitle(of)
  return null
}

/** The last place of each screen: its tab leads back to it, and from there to the start of the screen. */
function useVisited(place: Place): ReadonlyMap<string, Place> {
  const [visited, setVisited] = useState<ReadonlyMap<string, Place>>(new Map())
  useEffect(() => {
    if (screenOf(place)) setVisited((before) => new Map(before).set(place.screen, place))
  }, [place])
  return visited
}

/** Shown for an address that no screen has. */
function NoScreen() {
  const { hrefOf } = usePane()
  return (
    <main className="screen">
      <Title of="Not found" />
      <Empty icon="search" title="There is no such page">
        <p>The console has no screen at this address. A link may have been cut off.</p>
        <Link className="button plain" href={hrefOf(START)}>
          Go to the files
        </Link>
      </Empty>
    </main>
  )
}
