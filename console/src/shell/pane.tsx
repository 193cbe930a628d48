import { type ReactNode, useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { AssetsScreen } from '../assets/assets-screen.tsx'
import { IconButton } from '../controls/button.tsx'
import { Icon } from '../controls/icon.tsx'
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
import type { PaneState } from './panes.ts'
import { isScreen, type ScreenName, screenNames, screens } from './screens.ts'

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

/** One user: the sign-in, or their screens with the requests below. */
export function Pane({ pane, onChange }: Props) {
  const { identity, screen = 'files' } = pane
  if (!identity) return <SignIn onSignIn={(signedIn) => onChange({ ...pane, identity: signedIn })} />
  const { identity: _, ...signedOut } = pane
  return (
    <SessionProvider identity={identity} onSignOut={() => onChange(signedOut)}>
      <UploadsProvider>
        <Screens screen={screen} onScreen={(next) => onChange({ ...pane, screen: next })} />
      </UploadsProvider>
    </SessionProvider>
  )
}

function Screens({ screen, onScreen }: { screen: ScreenName; onScreen: (screen: ScreenName) => void }) {
  const { user_id, scopes, signOut } = useSession()
  const [areRequestsOpen, setRequestsOpen] = useState(() => matchMedia('(min-width: 760px)').matches)
  return (
    <div className="screens">
      <Tabs
        className="screen-tabs"
        selectedKey={screen}
        onSelectionChange={(key) => isScreen(key) && onScreen(key)}
      >
        <div className="pane-head">
          <TabList className="tabs" aria-label="Screens">
            {screenNames.map((name) => (
              <Tab key={name} id={name} className="tab">
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
              <Screen />
            </TabPanel>
          )
        })}
      </Tabs>
      <UploadsPanel />
      {areRequestsOpen && <RequestPanel />}
    </div>
  )
}
