import { useMutation } from '@tanstack/react-query'
import type { Target } from 'edge-game-storage-client/studio'
import { Button } from '../../controls/button.tsx'
import { showError } from '../../controls/notice.tsx'
import { useSession } from '../../session/session.tsx'
import { usePlace } from '../../shell/place.tsx'
import { MODERATION_PART } from './part.ts'

interface Props {
  target: Target
  /** What it is called. */
  name: string
}

/** Opens the case of a thing, or a new one. Shown to moderators only. */
export function OpenCase({ target, name }: Props) {
  const { studio, scopes } = useSession()
  const { go } = usePlace()
  const open = useMutation({
    mutationFn: () => studio.cases.open({ target }),
    onSuccess: ({ id }) => go([MODERATION_PART, id], {}, 'operators'),
    onError: showError,
  })
  if (!scopes.includes('content:moderate')) return null
  return (
    <Button
      icon="flag"
      aria-label={`Open a case about ${name}`}
      isPending={open.isPending}
      onPress={() => open.mutate()}
    >
      Open a case
    </Button>
  )
}
