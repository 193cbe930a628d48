import { useEffect, useState } from 'react'
import { isRating } from '../assets/rating.ts'
import { randomId } from '../controls/random-id.ts'
import { record, storedValue, texts } from '../json.ts'
import type { Identity } from '../session/token.ts'

/** A pane, and its user. Its place is in the page's address. */
export interface PaneState {
  key: string
  identity?: Identity
  /** Whether the pane is not shown. Its user stays signed in, and is there again when it is. */
  isHidden?: boolean
}

const KEY = 'console panes'

/**
 * The panes of this tab. A reload restores made-up users. A pasted token is only in memory, so its pane has to
 * sign in again.
 */
export function usePanes(count: number): [readonly PaneState[], (panes: readonly PaneState[]) => void] {
  const [panes, setPanes] = useState<readonly PaneState[]>(() => kept(count))
  useEffect(() => {
    const shown = panes.map(({ key, identity, isHidden }) => ({
      key,
      identity: identity?.token === undefined ? identity : undefined,
      isHidden,
    }))
    sessionStorage.setItem(KEY, JSON.stringify(shown))
  }, [panes])
  return [panes, setPanes]
}

/** The stored panes, and new ones up to this number, of which none is hidden. */
function kept(count: number): readonly PaneState[] {
  const panes = parsed(sessionStorage.getItem(KEY))
    .slice(0, 2)
    .map((pane, at) => (at < count ? shown(pane) : pane))
  const missing = Math.max(0, count - panes.length)
  return [...panes, ...Array.from({ length: missing }, () => ({ key: randomId() }))]
}

/** A pane that is not hidden. */
export function shown({ isHidden: _, ...pane }: PaneState): PaneState {
  return pane
}

function parsed(text: string | null): PaneState[] {
  const panes = storedValue(text)
  if (!Array.isArray(panes)) return []
  return panes.map((pane: unknown) => {
    const { key, identity, isHidden } = record(pane)
    const { user_id, scopes, max_rating } = record(identity)
    return {
      key: typeof key === 'string' ? key : randomId(),
      ...(isHidden === true && { isHidden }),
      ...(typeof user_id === 'string' && {
        identity: { user_id, scopes: texts(scopes), ...(isRating(max_rating) && { max_rating }) },
      }),
    }
  })
}
