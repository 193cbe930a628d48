import './inbox.css'
import { useCallback, useState } from 'react'
import { Button } from '../controls/button.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { Device } from './device.tsx'
import { FilterFields, filterOf } from './filter.tsx'
import { Publish } from './publish.tsx'

/** A user's notifications on one device, or on two side by side. */
export function InboxScreen() {
  const { user_id } = useSession()
  const [devices, setDevices] = useState(1)
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
          <Button icon="columns" onPress={() => setDevices(devices === 1 ? 2 : 1)}>
            {devices === 1 ? 'Second device' : 'One device'}
          </Button>
        }
      >
        Inbox
      </PageTitle>
      <div className="row inbox-head">
        <p className="quiet spread">
          What is read or deleted on one device of {user_id} is so on all of them. Cut a device off, publish,
          and join it again to see it catch up.
        </p>
        <FilterFields filter={filter} onChange={({ state, type }) => change({ state, type })} types={types} />
      </div>
      <div className={`devices of-${devices}`}>
        {[...Array(devices).keys()].map((index) => (
          <Device key={index} name={`Device ${index + 1}`} filter={filter} onTypes={addTypes} />
        ))}
      </div>
      <Publish />
    </div>
  )
}
