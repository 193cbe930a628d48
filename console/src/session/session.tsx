import { type Query, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type Client, createClient, ServiceError } from 'edge-game-storage-client'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { RequestLog, recordingFetch } from '../requests/log.ts'
import { Changes } from './changes.ts'
import { developmentToken, type SignInRequest } from './development.ts'
import { onReturn } from './reachability.ts'

/** A signed-in user in one pane: their client, and the log of its requests. */
export interface Session extends SignInRequest {
  client: Client
  /** Makes another client of the user, as another device has one. */
  connect: () => Client
  log: RequestLog
  /** Reads the queries that show a change again, in this and in the other panes. */
  changed: Changes['made']
  signOut: () => void
}

/** The user of a pane. A pasted token stays in memory only; tokens of a made-up user are fetched when needed. */
export interface Identity extends SignInRequest {
  token?: string
}

const SessionContext = createContext<Session | undefined>(undefined)

/** The session of the pane. Every screen is rendered inside one. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This is shown outside of a session.')
  return session
}

/** Provides a session of this user, with a query cache of its own. */
export function SessionProvider(props: { identity: Identity; onSignOut: () => void; children: ReactNode }) {
  const { identity, onSignOut, children } = props
  const [opened] = useState(() => open(identity))
  const { client, connect, log, cache, changes } = opened
  useEffect(() => changes.follow(), [changes])
  useEffect(() => onReturn(() => void cache.refetchQueries({ predicate: isFailed })), [cache])
  useEffect(() => () => cache.clear(), [cache])
  return (
    <SessionContext value={{ ...identity, client, connect, log, changed: changes.made, signOut: onSignOut }}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </SessionContext>
  )
}

function open(identity: Identity) {
  const log = new RequestLog()
  let token: Promise<string> | undefined
  const connect = () =>
    createClient({
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
  // The client itself repeats requests where that helps. Without a network requests fail: those that wait for one never end.
  const cache = new QueryClient({
    defaultOptions: {
      queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
  return { client: connect(), connect, log, cache, changes: new Changes(cache) }
}

/** Whether a query failed because no answer came. */
function isFailed({ state }: Query): boolean {
  return state.status === 'error' && !(state.error instanceof ServiceError)
}

/** Whether an error is a ServiceError with this code. */
export function isRefusal(error: unknown, code: ServiceError['code']): boolean {
  return error instanceof ServiceError && error.code === code
}
