import { type Query, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type Client, createClient, GameStorageError, ServiceError } from 'edge-game-storage-client'
import { createStudio, type Studio } from 'edge-game-storage-client/studio'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { RequestLog, recordingFetch } from '../requests/log.ts'
import type { Around } from './acts.ts'
import { Changes } from './changes.ts'
import type { SignInRequest } from './development.ts'
import { operatorRequests } from './operator-requests.ts'
import { onReturn } from './reachability.ts'
import type { Scope } from './scopes.ts'
import { type Identity, Tokens } from './token.ts'

/** A signed-in user in one pane: their client, and the log of its requests. */
export interface Session extends SignInRequest {
  client: Client
  /** Whether the requests of `client` are sent on behalf of the user, by somebody else. */
  isOnBehalf: boolean
  /** The requests of services, moderators and operators, with the tokens of the pane. */
  studio: Studio
  /** Makes a client on behalf of a player, whose requests pass `around`. */
  onBehalfOf: (user_id: string, around: Around) => Client
  /** Makes another client of the user, as another device has one. */
  connect: () => Client
  log: RequestLog
  /** Reads the queries that show a change again, in this and in the other panes. */
  changed: Changes['made']
  /** Sends a request that only operators send. */
  operate: ReturnType<typeof operatorRequests>
  /** Goes on with a token that has another scope. Undefined with a pasted token, which can't get one. */
  addScope: ((scope: Scope) => void) | undefined
  signOut: () => void
}

/** The context of sessions, for providers. */
export const SessionContext = createContext<Session | undefined>(undefined)

/** The session of the pane. Every screen is rendered inside one. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This is shown outside of a session.')
  return session
}

interface ProviderProps {
  identity: Identity
  /** Called with the same user and other scopes. */
  onIdentity: (identity: Identity) => void
  onSignOut: () => void
  children: ReactNode
}

/** Provides a session of this user, with a query cache of its own. */
export function SessionProvider(props: ProviderProps) {
  const { identity, onIdentity, onSignOut, children } = props
  const [opened] = useState(() => open(identity))
  const { tokens, client, studio, connect, onBehalfOf, operate, log, cache, changes } = opened
  useEffect(() => changes.follow(), [changes])
  useEffect(() => onReturn(() => void cache.refetchQueries({ predicate: isFailed })), [cache])
  useEffect(() => () => cache.clear(), [cache])
  const addScope = (scope: Scope) => {
    const next = { ...identity, scopes: [...identity.scopes, scope] }
    tokens.become(next)
    onIdentity(next)
  }
  const session: Session = {
    ...identity,
    isOnBehalf: false,
    ...{ client, studio, connect, onBehalfOf, operate, log, changed: changes.made, signOut: onSignOut },
    addScope: identity.token === undefined ? addScope : undefined,
  }
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </SessionContext>
  )
}

function open(identity: Identity) {
  const log = new RequestLog()
  const tokens = new Tokens(identity)
  const send = recordingFetch(log)
  const options = { baseUrl: location.origin, token: tokens.get, fetch: send }
  const connect = () => createClient(options)
  const onBehalfOf = (user_id: string, around: Around) =>
    createStudio({ ...options, fetch: around(send), timeoutMs: QUESTION_MS }).onBehalfOf(user_id)
  const cache = newCache()
  const operate = operatorRequests(tokens, send)
  return {
    tokens,
    client: connect(),
    studio: createStudio(options),
    connect,
    onBehalfOf,
    operate,
    log,
    cache,
    changes: new Changes(cache),
  }
}

/** How long a request on behalf of a player may wait for its reason, in milliseconds. */
const QUESTION_MS = 24 * 60 * 60 * 1_000

/** A query cache. The client itself repeats requests where that helps. Without a network requests fail: those that wait for one never end. */
export function newCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
}

/** Whether a query failed because no answer came. */
function isFailed({ state }: Query): boolean {
  return state.status === 'error' && !(state.error instanceof ServiceError)
}

/** Whether an error has this code of the service. */
export function isRefusal(error: unknown, code: ServiceError['code']): boolean {
  return error instanceof GameStorageError && error.code === code
}
