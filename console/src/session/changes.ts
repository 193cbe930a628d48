import type { QueryClient } from '@tanstack/react-query'

/** The kinds of changes that other panes show, each with the first parts of the query keys that show it. */
const shownBy = {
  shares: ['shares', 'shared'],
  // What a grantee has left may be shared with nobody any more.
  left: ['shares', 'shared', 'files', 'item'],
  assets: ['assets'],
  saves: ['saves'],
  moderation: ['moderation', 'safety', 'blocked', 'assets', 'files', 'shared'],
  safety: ['moderation', 'safety'],
  blocks: ['moderation', 'safety', 'blocked', 'assets', 'files', 'shared'],
  announcements: ['announcements'],
  recalls: ['recalls'],
  mutes: ['mutes', 'shared', 'assets'],
} as const

export type Change = keyof typeof shownBy

const CHANNEL = 'console changes'

/**
 * Broadcasts the changes of a pane to the other panes and tabs of this browser, which then read their queries again: the service
 * pushes only notifications. A message has only the kind of change, no data and no token.
 */
export class Changes {
  readonly #cache: QueryClient
  #channel: BroadcastChannel | undefined

  constructor(cache: QueryClient) {
    this.#cache = cache
  }

  /** Starts listening to the other panes. Returns a function that stops it. */
  readonly follow = (): (() => void) => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isChange(data)) void this.#read(data)
    }
    this.#channel = channel
    return () => channel.close()
  }

  /**
   * Broadcasts a change, and reads the queries that show it again. `isLeaving`: this pane's queries are about to close, so they
   * are only marked as stale.
   */
  readonly made = (change: Change, { isLeaving = false } = {}): Promise<unknown> => {
    this.#channel?.postMessage(change)
    return this.#read(change, isLeaving ? 'none' : 'active')
  }

  #read(change: Change, refetchType: 'active' | 'none' = 'active'): Promise<unknown> {
    const stale = shownBy[change].map(async (key) => {
      const queryKey = [key]
      // A first read that is under way may have begun before the change, and invalidating would not repeat it.
      if (refetchType === 'active') await this.#cache.cancelQueries({ queryKey })
      await this.#cache.invalidateQueries({ queryKey, refetchType })
    })
    return Promise.all(stale)
  }
}

function isChange(value: unknown): value is Change {
  return typeof value === 'string' && Object.hasOwn(shownBy, value)
}
