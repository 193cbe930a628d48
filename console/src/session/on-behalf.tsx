import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { Around } from './acts.ts'
import { Changes } from './changes.ts'
import { newCache, SessionContext, useSession } from './session.tsx'

interface Props {
  user_id: string
  /** What each request passes on its way. */
  around: Around
  children: ReactNode
}

/** Provides a session of a player to the screens inside, whose requests the signed-in user sends on behalf of the player. */
export function OnBehalf({ user_id, around, children }: Props) {
  const session = useSession()
  const [opened] = useState(() => {
    const cache = newCache()
    const connect = () => session.onBehalfOf(user_id, around)
    return { cache, connect, changes: new Changes(cache), client: connect() }
  })
  const { cache, connect, changes, client } = opened
  useEffect(() => changes.follow(), [changes])
  useEffect(() => () => cache.clear(), [cache])
  const own = {
    user_id,
    scopes: [],
    client,
    connect,
    changed: changes.made,
    addScope: undefined,
    isOnBehalf: true,
  }
  return (
    <SessionContext value={{ ...session, ...own }}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </SessionContext>
  )
}
