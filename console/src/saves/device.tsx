import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DetailsFields } from './details-fields.tsx'
import { useDevice } from './use-device.ts'
import '../inbox/inbox.css'

interface Props {
  name: string
  slot: string
  /** The revision that the slot is at. */
  current: number
}

/** A device that plays: what it has read of a slot, and a form that writes. */
export function Device({ name, slot, current }: Props) {
  const device = useDevice(slot, name)
  const { read, error, isPending, conflict } = device
  return (
    <section className="device" aria-label={name}>
      <header className="row device-head">
        <h2>{name}</h2>
        {read && <Base base={read.base} current={current} />}
        <span className="spread" />
        <Button icon="down" onPress={() => void device.refresh()} isDisabled={isPending}>
          Read
        </Button>
      </header>
      <div className="save-device">
        {!read && error === undefined && <Waiting rows={4} />}
        {read && (
          <Form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault()
              void device.write(read.draft)
            }}
          >
            <DetailsFields draft={read.draft} onChange={device.setDraft}>
              <span className="spread" />
              <Button type="submit" look="primary" isPending={isPending}>
                Write
              </Button>
            </DetailsFields>
          </Form>
        )}
        {error !== undefined && !conflict && <ErrorNote error={error} />}
      </div>
      {conflict && <ConflictDialog name={name} device={device} conflict={conflict} />}
    </section>
  )
}

/** The revision that the device has read, which its next write replaces. */
function Base({ base, current }: { base: number | undefined; current: number }) {
  const isBehind = base !== current
  return (
    <span className="row small quiet" role="status">
      <span className={isBehind ? 'dot' : 'dot good'} />
      {base === undefined ? 'has read nothing' : `has read revision ${base}`}
      {isBehind && `, the slot is at ${current}`}
    </span>
  )
}
