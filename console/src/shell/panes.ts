import { useEffect, useState } from 'react'
import { record, texts } from '../json.ts'
import type { Identity } from '../session/session.tsx'
import { isScreen, type ScreenName } from './screens.ts'

/** The screen of a pane, and its user. */
export interface PaneState {
  key: string
  identity?: Identity
  screen?: ScreenName
}

const KEY = 'console panes'

/**
 * The panes of this tab. A reload restores made-up users at their screens. A pasted token is only in memory, so its pane has to
 * sign in again.
 */
export function usePanes(): [readonly PaneState[], (panes: readonly PaneState[]) => void] {
  const [panes, setPanes] = useState<readonly PaneState[]>(kept)
  useEffect(() => {
    const shown = panes.map(({ key, identity, screen }) => ({
      key,
      screen,
      identity: identity?.token === undefined ? identity : undefined,
    }))
    sessionStorage.setItem(KEY, JSON.stringify(shown))
  }, [panes])
  return [panes, setPanes]
}

function kept(): readonly PaneState[] {
  const panes = parsed(sessionStorage.getItem(KEY)).slice(0, 2)
  return panes.length > 0 ? panes : [{ key: crypto.randomUUID() }]
}

function parsed(text: string | null): PaneState[] {
  if (text === null) return []
  const panes: unknown = JSON.parse(text)
  if (!Array.isArray(panes)) return []
  return panes.map((pane: unknown) => {
    const { key, screen, identity } = record(pane)
    const { user_id, scopes } = record(identity)
    return {
      key: typeof key === 'string' ? key : crypto.randomUUID(),
      ...(isScreen(screen) && { screen }),
      ...(typeof user_id === 'string' && { identity: { user_id, scopes: texts(scopes) } }),
    }
  })
}
