import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { Empty, Waiting } from '../controls/status.tsx'
import { useMute, useMutes } from './use-mutes.ts'

/** The players whom the user has muted. Render it only while it is open. */
export function MutedPlayers({ onClose }: { onClose: () => void }) {
  const mutes = useMutes()
  const mute = useMute()
  return (
    <Dialog title="Muted players" isOpen onClose={onClose}>
      {!mutes && <Waiting />}
      {mutes?.length === 0 && (
        <Empty icon="user" title="You have muted nobody">
          Mute a player on the page of one of their assets, or at a file that they share with you.
        </Empty>
      )}
      {mutes && mutes.length > 0 && (
        <ul className="plain-list boxed" aria-label="Muted players">
          {mutes.map((user_id) => (
            <li key={user_id} className="row">
              <span className="spread cut">{user_id}</span>
              <Button aria-label={`Unmute ${user_id}`} onPress={() => void mute(user_id, false)}>
                Unmute
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
