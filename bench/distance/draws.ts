/** Pseudo-random numbers from a seed, from 0 up to 1 (mulberry32). */
export function drawsOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A number from `least` to `greatest`, of which every doubling is as likely. */
export function logUniform(draw: () => number, least: number, greatest: number): number {
  return least * (greatest / least) ** draw()
}

/** The lag of a replica: 0.8 s in the median, 6 s at the 99th percentile. */
const [MEDIAN_MS, P99_MS] = [800, 6_000]
/** The 99th percentile of the normal distribution, in standard deviations. */
const Z_99 = 2.326
/** How long a replica keeps its lag. Lags that change from write to write would add up, because writes arrive in order. */
const KEPT_MS = 60_000

/** The lag of each replica at each time, log-normally distributed. */
export function lagsOf(seed: number): (replica: number, at_ms: number) => number {
  return (replica, at_ms) => {
    const draw = drawsOf(seed ^ Math.imul(Math.floor(at_ms / KEPT_MS) * 16 + replica, 0x9e3779b1))
    const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
    return MEDIAN_MS * (P99_MS / MEDIAN_MS) ** (normal / Z_99)
  }
}
