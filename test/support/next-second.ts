import { vi } from 'vitest'

/** Waits for the next second. A change in the second of the change before leaves an asset in its place by `updated_at`. */
export async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1_000)
  await vi.waitUntil(() => Math.floor(Date.now() / 1_000) > second, { timeout: 10_000, interval: 20 })
}
