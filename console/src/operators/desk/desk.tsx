import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { Link, Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { Button } from '../../controls/button.tsx'
import { FilesScreen } from '../../files/files-screen.tsx'
import { Acts } from '../../session/acts.ts'
import { NeedsScope } from '../../session/needs-scope.tsx'
import { OnBehalf } from '../../session/on-behalf.tsx'
import { type Session, SessionContext, useSession } from '../../session/session.tsx'
import { AssetsScreen, SafetyScreen, SavesScreen } from '../../shell/later-screens.tsx'
import { PlaceProvider, usePane, usePlace, useTitle } from '../../shell/place.tsx'
import { TrashScreen } from '../../trash/trash-screen.tsx'
import { UploadsProvider } from '../../uploads/uploads.tsx'
import { UploadsPanel } from '../../uploads/uploads-panel.tsx'
import { DoneTo } from '../audit.tsx'
import { DeskInbox } from './desk-inbox.tsx'
import { type DeskScreen, deskScreens, innerPlace, isDeskScreen, outerPlace } from './desk-place.ts'
import { LatestEntry } from './latest-entry.tsx'
import { ReasonDialog } from './reason-dialog.tsx'

/** The desk of support: the screens of a player, with what the player has, and the reason for what is changed there. */
export function Desk({ user_id }: { user_id: string }) {
  const { hrefOf } = usePlace()
  const { scopes } = useSession()
  useTitle(`For ${user_id}`)
  return (
    <div className="desk">
      <div className="desk-head">
        <p className="spread">
          You act for{' '}
          <b>
            <bdi>{user_id}</bdi>
          </b>
          . <Link href={hrefOf(['users', user_id])}>Back to their page</Link>
        </p>
      </div>
      <NeedsScope scope={scopes.includes('players:write') ? 'players:write' : 'players:read'}>
        <Screens user_id={user_id} />
      </NeedsScope>
    </div>
  )
}

function Screens({ user_id }: { user_id: string }) {
  const own = useSession()
  const [acts] = useState(() => new Acts())
  const [asked, setAsked] = useState<{ answer: (reason: string) => void }>()
  acts.ask = () => new Promise((answer) => setAsked({ answer }))
  const done = useSyncExternalStore(acts.subscribe, acts.items)
  const change = async () => {
    const reason = await acts.ask()
    if (reason !== '') acts.reason = reason
  }
  return (
    <>
      <NeedsScope scope="players:write">
        <div className="desk-reason" aria-live="polite">
          {done[0] ? (
            <LatestEntry act={done[0]} user_id={user_id} />
          ) : (
            'What you change leaves an entry in the audit.'
          )}
          {acts.reason !== '' && (
            <span className="desk-why">
              <span>Your reason: ‘{acts.reason}’</span>
              <Button look="quiet" icon="pencil" onPress={() => void change()}>
                Another reason
              </Button>
            </span>
          )}
        </div>
      </NeedsScope>
      {asked && (
        <ReasonDialog
          user_id={user_id}
          before={acts.reason}
          onClose={(reason) => {
            setAsked(undefined)
            asked.answer(reason)
          }}
        />
      )}
      <OnBehalf user_id={user_id} around={acts.around}>
        <UploadsProvider>
          <DeskPlace user_id={user_id}>
            <DeskTabs user_id={user_id} own={own} />
          </DeskPlace>
          <UploadsPanel />
        </UploadsProvider>
      </OnBehalf>
    </>
  )
}

/** The place of the desk's screens: theirs behind the player's page. Other places are those of the pane. */
function DeskPlace({ user_id, children }: { user_id: string; children: ReactNode }) {
  const { place, go, replace, hrefOf, open, isFirst } = usePane()
  return (
    <PlaceProvider
      place={innerPlace(place)}
      go={(inner) => go(outerPlace(user_id, inner))}
      replace={(inner) => replace(outerPlace(user_id, inner))}
      hrefOf={(inner) => hrefOf(outerPlace(user_id, inner))}
      open={open}
      isFirst={isFirst}
    >
      {children}
    </PlaceProvider>
  )
}

interface ShownProps {
  user_id: string
  /** The session of the signed-in user. */
  own: Session
}

const shown: Record<DeskScreen, (props: ShownProps) => ReactNode> = {
  files: () => <FilesScreen />,
  trash: () => <TrashScreen />,
  assets: () => <AssetsScreen />,
  saves: () => <SavesScreen />,
  inbox: () => <DeskInbox />,
  safety: () => <SafetyScreen />,
  done: ({ user_id, own }) => (
    // The audit is the signed-in user's to read.
    <SessionContext value={own}>
      <NeedsScope scope="audit:read">
        <div className="stack">
          <DoneTo user_id={user_id} />
        </div>
      </NeedsScope>
    </SessionContext>
  ),
}

function DeskTabs({ user_id, own }: ShownProps) {
  const { screen, go, hrefOf } = usePlace()
  return (
    <Tabs
      className="desk-tabs"
      selectedKey={screen}
      // As of the screens: for Home and End.
      onSelectionChange={(key) => key !== screen && go([], {}, `${key}`)}
    >
      <TabList className="tab-list" aria-label={`What ${user_id} has`}>
        {Object.entries(deskScreens).map(([name, title]) => (
          <Tab key={name} id={name} href={hrefOf([], {}, name)} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {Object.keys(deskScreens)
        .filter(isDeskScreen)
        .map((name) => {
          const Shown = shown[name]
          return (
            <TabPanel key={name} id={name} className="desk-screen">
              <Shown user_id={user_id} own={own} />
            </TabPanel>
          )
        })}
    </Tabs>
  )
}
