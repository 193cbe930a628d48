import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { useSession } from '../session/session.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { noteErased, noteOpened, useHasInbox } from './known-inboxes.ts'
import { type DeviceInbox, useInbox } from './use-inbox.ts'

const PaneInbox = createContext<DeviceInbox | undefined>(undefined)

interface Props {
  /** Whether the pane shows the screen of the inbox. */
  isShown: boolean
  children: ReactNode
}

/**
 * Provides the inbox of the pane's user, over one socket for the badge and for the screen. It is opened when its screen is shown
 * first, or at once when it is known to exist, and stays open until the user signs out.
 */
export function InboxProvider({ isShown, children }: Props) {
  const { user_id } = useSession()
  const isDeveloper = useDeveloperView()
  const device = useInbox(useHasInbox(user_id))
  const { state, isCut, setCut, reopen } = device
  const isErased = state.name === 'closed' && state.reason === 'erased'
  useEffect(() => {
    if (isErased && !isShown) noteErased(user_id)
  }, [isErased, isShown, user_id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the screen is shown
  useEffect(() => {
    if (!isShown) return
    noteOpened(user_id)
    reopen()
  }, [isShown])
  // Only the screen in the Developer view has the button that joins it again.
  const canJoin = isShown && isDeveloper
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the button goes
  useEffect(() => {
    if (isCut && !canJoin) setCut(false)
  }, [canJoin])
  return <PaneInbox value={device}>{children}</PaneInbox>
}

/** The inbox of the pane's user. */
export function usePaneInbox(): DeviceInbox {
  const device = useContext(PaneInbox)
  if (!device) throw new Error('This is shown outside of a pane.')
  return device
}
