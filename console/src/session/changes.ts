import type { QueryClient } from '@tanstack/react-query'

/** What a user can change that others see, each with the queries that show it, by the beginnings of their keys. */
const shownBy = {
  shares: ['shares', 'shared'],
  assets: ['assets'],
  blocks: ['blocked', 'assets', 'files'],
} as const

export type Change = keyof typeof shownBy

const CHANNEL = 'console changes'

/**
 * Tells the other panes and tabs of this browser what a pane has changed, so that they read it anew at once. The service
 * tells a user's devices of notifications only. What is told is the kind of change: nobody's data, and no token.
 */
export class Changes {
  readonly #cache: QueryClient
  #channel: BroadcastChannel | undefined

  constructor(cache: QueryClient) {
    this.#cache = cache
  }

  /** Begins to listen to the others. Returns what ends it. */
  readonly follow = (): (() => void) => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isChange(data)) void this.#read(data)
    }
    this.#channel = channel
    return () => channel.close()
  }

  /**
   * Has what a change makes stale read anew, here and by the others. `isLeaving`: what this pane shows of it is about to
   * close, and is not read.
   */
  readonly made = (change: Change, { isLeaving = false } = {}): Promise<unknown> => {
    this.#channel?.postMessage(change)
    return this.#read(change, isLeaving ? 'none' : 'active')
  }

  #read(change: Change, refetchType: 'active' | 'none' = 'active'): Promise<unknown> {
    const stale = shownBy[change].map(async (key) => {
      const queryKey = [key]
      // A first reading that is under way may have begun before the change, and would not be repeated.
      if (refetchType === 'active') await this.#cache.cancelQueries({ queryKey })
      await this.#cache.invalidateQueries({ queryKey, refetchType })
    })
    return Promise.all(stale)
  }
}

function isChange(value: unknown): value is Change {
  return typeof value === 'string' && Object.hasOwn(shownBy, value)
}
