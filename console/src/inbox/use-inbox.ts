import type { Inbox, InboxSnapshot, InboxState, Notification } from 'edge-game-storage-client'
import { useEffect, useState } from 'react'
import { useSession } from '../session/session.tsx'
import { CuttableNetwork } from './cuttable.ts'

/** How long a signal is shown. */
const SIGNAL_MS = 10_000
/** The most signals that are shown. */
const SIGNALS = 3

/** The current state of a device's inbox. */
export interface DeviceInbox {
  inbox: Inbox | undefined
  snapshot: InboxSnapshot | undefined
  /** The signals of the last seconds, oldest first. */
  signals: readonly Notification[]
  state: InboxState
  isCut: boolean
  setCut: (isCut: boolean) => void
  /** Opens the inbox again, if it was closed: its user may have been erased, and be back. */
  reopen: () => void
}

/** Opens an inbox while it is wanted, as a device with a network of its own. */
export function useInbox(isWanted: boolean): DeviceInbox {
  const { client } = useSession()
  const [network] = useState(() => new CuttableNetwork())
  const [inbox, setInbox] = useState<Inbox>()
  const [snapshot, setSnapshot] = useState<InboxSnapshot>()
  const [signals, setSignals] = useState<readonly Notification[]>([])
  const [state, setState] = useState<InboxState>({ name: 'connecting' })
  const [isCut, markCut] = useState(false)
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens another one
  useEffect(() => {
    if (!isWanted) return
    const opened = client.inbox.open({ limit: 50, WebSocket: network.WebSocket })
    opened.on('change', setSnapshot)
    opened.on('signal', (signal) => {
      setSignals((shown) => [...shown, signal].slice(-SIGNALS))
      setTimeout(() => setSignals((shown) => shown.filter((one) => one !== signal)), SIGNAL_MS)
    })
    opened.on('state', setState)
    setInbox(opened)
    return () => {
      opened.close()
      setSnapshot(undefined)
      setState({ name: 'connecting' })
    }
  }, [client, network, isWanted, attempt])
  const setCut = (cut: boolean) => {
    markCut(cut)
    if (cut) return network.cut()
    network.join()
    inbox?.reconnect()
  }
  const reopen = () => {
    if (inbox?.state.name === 'closed') setAttempt(attempt + 1)
  }
  return { inbox, snapshot, signals, state, isCut, setCut, reopen }
}
