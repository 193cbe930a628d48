import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type Client, createClient, ServiceError } from 'edge-game-storage-client'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { RequestLog, recordingFetch } from '../requests/log.ts'
import { Changes } from './changes.ts'
import { developmentToken, type SignInRequest } from './development.ts'

/** A signed-in user in one pane: their client, and the requests that it has made. */
export interface Session extends SignInRequest {
  client: Client
  log: RequestLog
  /** Has what others see of a change read anew, here and in the other panes. */
  changed: Changes['made']
  signOut: () => void
}

/** Whom a pane is for. A pasted token is kept in memory only; a made-up user's is asked for anew. */
export interface Identity extends SignInRequest {
  token?: string
}

const SessionContext = createContext<Session | undefined>(undefined)

/** The session of the pane. Every screen stands inside of one. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This is shown outside of a session.')
  return session
}

/** Gives the screens below it a session of this user, with a cache of its own. */
export function SessionProvider(props: { identity: Identity; onSignOut: () => void; children: ReactNode }) {
  const { identity, onSignOut, children } = props
  const [opened] = useState(() => open(identity))
  const { client, log, cache, changes } = opened
  useEffect(() => changes.follow(), [changes])
  useEffect(() => () => cache.clear(), [cache])
  return (
    <SessionContext value={{ ...identity, client, log, changed: changes.made, signOut: onSignOut }}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </SessionContext>
  )
}

function open(identity: Identity) {
  const log = new RequestLog()
  let token: Promise<string> | undefined
  const client = createClient({
    baseUrl: location.origin,
    token: async ({ renew }) => {
      if (identity.token !== undefined) return identity.token
      if (renew) token = undefined
      token ??= developmentToken(identity).catch((error: unknown) => {
        token = undefined
        throw error
      })
      return token
    },
    fetch: recordingFetch(log),
  })
  // The client repeats what may be repeated; a refusal stays one.
  const cache = new QueryClient({
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } },
  })
  return { client, log, cache, changes: new Changes(cache) }
}

/** Whether an error is this refusal of the service. */
export function isRefusal(error: unknown, code: ServiceError['code']): boolean {
  return error instanceof ServiceError && error.code === code
}
