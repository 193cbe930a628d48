import { Button } from '../controls/button.tsx'
import { useSession } from '../session/session.tsx'
import { useMute, useMutes } from './use-mutes.ts'

/** Mutes another player, or unmutes them. */
export function MuteButton({ user_id: other }: { user_id: string }) {
  const { user_id } = useSession()
  const mutes = useMutes()
  const mute = useMute()
  if (other === user_id || !mutes) return null
  const isMuted = mutes.includes(other)
  return (
    <Button aria-label={`${isMuted ? 'Unmute' : 'Mute'} ${other}`} onPress={() => void mute(other, !isMuted)}>
      {isMuted ? 'Unmute' : 'Mute'}
    </Button>
  )
}
