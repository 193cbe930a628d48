import './inbox.css'
import { useCallback, useState } from 'react'
import { Button } from '../controls/button.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { useSession } from '../session/session.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { usePlace } from '../shell/place.tsx'
import { Device, SecondDevice } from './device.tsx'
import { FilterFields, filterOf } from './filter.tsx'
import { usePaneInbox } from './pane-inbox.tsx'
import { Publish } from './publish.tsx'

/** A user's notifications, and a form that publishes others; in the Developer view also on two devices side by side. */
export function InboxScreen() {
  const { user_id, scopes } = useSession()
  const device = usePaneInbox()
  const isDeveloper = useDeveloperView()
  const [devices, setDevices] = useState(1)
  const isTwo = isDeveloper && devices === 2
  const [isWriting, setWriting] = useState(false)
  const { query, change } = usePlace()
  const filter = filterOf(query)
  const [types, setTypes] = useState<readonly string[]>([])
  // A type stays in the choice when its last notification is gone.
  const addTypes = useCallback(
    (seen: readonly string[]) =>
      setTypes((known) =>
        seen.every((type) => known.includes(type)) ? known : [...new Set([...known, ...seen])].sort(),
      ),
    [],
  )
  return (
    <div className="stack inbox">
      <PageTitle
        actions={
          <>
            {isDeveloper && (
              <Button icon="columns" onPress={() => setDevices(devices === 1 ? 2 : 1)}>
                {devices === 1 ? 'Second device' : 'One device'}
              </Button>
            )}
            <Button
              icon={isWriting ? 'close' : 'plus'}
              look={isWriting || !scopes.includes('notifications:publish') ? 'plain' : 'primary'}
              aria-expanded={isWriting}
              onPress={() => setWriting(!isWriting)}
            >
              {isWriting ? 'Close the form' : 'New notification'}
            </Button>
          </>
        }
      >
        Inbox
      </PageTitle>
      {isDeveloper && (
        <p className="quiet">
          What is read or deleted on one device of {user_id} is so on all of them. Cut a device off, publish,
          and join it again to see it catch up.
        </p>
      )}
      <div className={isWriting ? 'inbox-body writing' : 'inbox-body'}>
        {isWriting && <Publish />}
        <div className="stack inbox-lists">
          <div className="row inbox-filter">
            <FilterFields
              filter={filter}
              onChange={({ state, type }) => change({ state, type })}
              types={types}
            />
          </div>
          <div className={isTwo ? 'devices of-2' : 'devices'}>
            <Device device={device} name="Device 1" filter={filter} onTypes={addTypes} />
            {isTwo && <SecondDevice name="Device 2" filter={filter} onTypes={addTypes} />}
          </div>
        </div>
      </div>
    </div>
  )
}
