import { vi } from 'vitest'

/*
 * A change in the second of the change before leaves an asset in its place by `updated_at`.
 */

const real = Date.now

/** Puts the clock of this runtime, of tests, Worker and objects, forward to the next second, until `vi.restoreAllMocks()`. */
export function toNextSecond(): void {
  const ahead_ms = (Math.floor(Date.now() / 1_000) + 1) * 1_000 - real()
  vi.spyOn(Date, 'now').mockImplementation(() => real() + ahead_ms)
}

/** Waits for the next second, of a service that runs in another process. */
export async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1_000)
  await vi.waitUntil(() => Math.floor(Date.now() / 1_000) > second, { timeout: 10_000, interval: 20 })
}
