import { afterEach, describe, expect, it, vi } from 'vitest'
import { isTimeout, withTimeout } from '../../src/platform/lib/timeout.ts'

const never = () => new Promise<never>(() => {})

afterEach(() => vi.useRealTimers())

describe('a deadline', () => {
  it('passes on a result or an error unchanged, and leaves no timer behind', async () => {
    vi.useFakeTimers()
    expect(await withTimeout(1_000, Promise.resolve('answer'))).toBe('answer')
    const failure = new Error('failure')
    await expect(withTimeout(1_000, Promise.reject(failure))).rejects.toBe(failure)
    expect(isTimeout(failure)).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rejects after its time when no answer comes, and leaves no timer behind', async () => {
    vi.useFakeTimers()
    const outcome = withTimeout(1_000, never()).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(999)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(isTimeout(await outcome)).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('swallows an error that comes after the timeout', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const outcome = withTimeout(1, promise).catch((error: unknown) => error)
    expect(isTimeout(await outcome)).toBe(true)
    reject(new Error('too late')) // unhandled, it would fail the run
    await Promise.allSettled([promise])
  })

  it('is the cause of the UNAVAILABLE error', () => {
    expect(isTimeout(new Error('UNAVAILABLE', { cause: new Error('something else') }))).toBe(false)
    expect(isTimeout('no error at all')).toBe(false)
  })
})
