import { type ReactNode, useState } from 'react'
import { Link, TabPanel, Tabs } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { closeNotices } from '../controls/notice.tsx'
import { Empty } from '../controls/status.tsx'
import { FilesScreen } from '../files/files-screen.tsx'
import { InboxScreen } from '../inbox/inbox-screen.tsx'
import { InboxProvider } from '../inbox/pane-inbox.tsx'
import { MutedPlayers } from '../mutes/muted-players.tsx'
import { Avatar } from '../profile/avatar.tsx'
import { SessionProvider, useSession } from '../session/session.tsx'
import { SignIn } from '../session/sign-in-form.tsx'
import { SharedScreen } from '../shares/shared-screen.tsx'
import { TrashScreen } from '../trash/trash-screen.tsx'
import { UploadsProvider } from '../uploads/uploads.tsx'
import { UploadsPanel } from '../uploads/uploads-panel.tsx'
import { START, startOf } from './address.ts'
import { useDeveloperView } from './developer-view.ts'
import { later } from './later.tsx'
import { AssetsScreen, SafetyScreen, SavesScreen } from './later-screens.tsx'
import { Navigation } from './navigation.tsx'
import type { PaneState } from './panes.ts'
import { usePane, useTitle } from './place.tsx'
import { type ScreenName, screenNames, screenOf, screens } from './screens.ts'

const shown: Record<ScreenName, () => ReactNode> = {
  files: FilesScreen,
  shared: SharedScreen,
  trash: TrashScreen,
  saves: SavesScreen,
  assets: AssetsScreen,
  discover: later('discover', async () => {
    const { DiscoverScreen: Shown, build } = await import('../discover/discover-screen.tsx')
    return { Shown, build }
  }),
  inbox: InboxScreen,
  safety: SafetyScreen,
  operators: later('operators', async () => {
    const { OperatorsScreen: Shown, build } = await import('../operators/operators-screen.tsx')
    return { Shown, build }
  }),
}

const RequestPanel = later(
  'requests',
  async () => {
    const { RequestPanel: Shown, build } = await import('../requests/request-panel.tsx')
    return { Shown, build }
  },
  null,
)

interface Props {
  pane: PaneState
  /** The ids of the users of the other panes. */
  others: readonly string[]
  onChange: (pane: PaneState) => void
}

/** One user: the sign-in, or their screens with the requests below. After the sign-in the place of the address is shown. */
export function Pane({ pane, others, onChange }: Props) {
  const { place, replace } = usePane()
  const { identity } = pane
  if (!identity)
    return <SignIn others={others} onSignIn={(signedIn) => onChange({ ...pane, identity: signedIn })} />
  const signOut = () => {
    const { identity: _, ...signedOut } = pane
    onChange(signedOut)
    closeNotices()
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
  const { place, go } = usePane()
  const screen = screenOf(place)
  const isDeveloper = useDeveloperView()
  const [isShowingMutes, setShowingMutes] = useState(false)
  return (
    <InboxProvider isShown={screen === 'inbox'}>
      <div className="screens">
        <Tabs
          className="screen-tabs"
          orientation="vertical"
          selectedKey={screen ?? ''}
          // For Home and End: React Aria opens the link of a tab for all other ways to it. It also selects a tab
          // where none is, at an address without a screen.
          onSelectionChange={(key) => screen && key !== screen && go(startOf(`${key}`))}
        >
          <div className="side">
            <Navigation screen={screen} />
            <div className="who">
              <Avatar />
              <span className="spread cut" title={scopes.join(' ')}>
                {user_id}
              </span>
              <span className="who-actions">
                <IconButton icon="user" label="Muted players" onPress={() => setShowingMutes(true)} />
                <IconButton icon="leave" label="Sign out" onPress={signOut} />
              </span>
            </div>
            {isShowingMutes && <MutedPlayers onClose={() => setShowingMutes(false)} />}
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
        <div className="below">
          <UploadsPanel />
          {isDeveloper && <RequestPanel />}
        </div>
      </div>
    </InboxProvider>
  )
}

/** The title of the page, before what is in the screen may name it closer. */
function Title({ of }: { of: string }) {
  useTitle(of)
  return null
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
