import autocannon from 'autocannon'
import { type HotPath, sentBody } from './paths.ts'
import { runtimeCpuMs } from './processor.ts'

const CONNECTIONS = 10
/** How often autocannon checks whether to stop. */
const SAMPLE_MS = 20

/** The result of loading one side. */
export interface Load {
  /** Requests a second, or another measure of the path. */
  figure: number
  /** The runtime's CPU time a request; undefined where it can't be read. */
  cpuMs: number | undefined
}

/** The ratio of service to floor over the rounds. */
interface Ratio {
  median: number
  least: number
  greatest: number
}

/** The result of all rounds of a path. */
export interface Measured {
  /** The medians of `Load.figure`. */
  service: number
  floor: number
  byRate: Ratio
  /**
   * The ratio of CPU times a request, each from its least disturbed round. On an idle machine it equals the ratio of rates.
   * NaN where CPU time can't be read.
   */
  byCpu: number
}

/** The addresses of the two sides, and the headers of requests. */
export interface Target {
  service: string
  floor: string
  headers: Record<string, string>
}

/**
 * Loads both sides in turn for `rounds` rounds of `seconds` each. The sides alternate in going first, so that neither always
 * has the larger tables.
 */
export async function measure(
  path: Request,
  target: Target,
  rounds: number,
  seconds: number,
  onStep: () => void,
): Promise<Measured> {
  await load(path, target.service, target.headers, WARM_UP_SECONDS)
  await load(path, target.floor, target.headers, WARM_UP_SECONDS)
  return inTurns(rounds, async (side) => {
    const result = await load(path, target[side], target.headers, seconds)
    onStep()
    return result
  })
}

/** The part of a hot path that makes its requests. */
type Request = Pick<HotPath, 'method' | 'path' | 'bodies' | 'isNamedAnew' | 'content'>

/** Calls `loaded` for both sides in turn, for `rounds` rounds. */
export async function inTurns(
  rounds: number,
  loaded: (side: 'service' | 'floor') => Promise<Load>,
): Promise<Measured> {
  const results: { service: Load; floor: Load }[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) results.push({ service: await loaded('service'), floor: await loaded('floor') })
    else results.push({ floor: await loaded('floor'), service: await loaded('service') })
  }
  return {
    service: median(results.map(({ service }) => service.figure)),
    floor: median(results.map(({ floor }) => floor.figure)),
    byRate: ratioOf(results.map(({ service, floor }) => service.figure / floor.figure)),
    byCpu: leastCpu(results.map(({ floor }) => floor)) / leastCpu(results.map(({ service }) => service)),
  }
}

const WARM_UP_SECONDS = 0.5

async function load(
  hotPath: Request,
  url: string,
  headers: Record<string, string>,
  seconds: number,
): Promise<Load> {
  const { method, path, bodies, content, isNamedAnew } = hotPath
  const request = { method, path, headers, ...(content !== undefined && { body: content }) }
  const bodyAt = (variant: number) => sentBody(hotPath, variant)
  const requests = bodies.map((_, i) =>
    isNamedAnew
      ? { ...request, setupRequest: (given: autocannon.Request) => ({ ...given, body: bodyAt(i) }) }
      : { ...request, body: bodyAt(i) },
  )
  const options = {
    url,
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: SAMPLE_MS,
    requests: requests.length > 0 ? requests : [request],
  }
  const before = runtimeCpuMs()
  const result = await autocannon(options)
  const after = runtimeCpuMs()
  const { '2xx': good, non2xx, errors, start, finish } = result
  // On a very busy machine no request may finish within a short round.
  if (good + non2xx + errors === 0) return load(hotPath, url, headers, seconds * 2)
  if (good === 0 || non2xx + errors > 0)
    throw new Error(
      `${method} ${path} at ${url}: ${good} answers were good, ${non2xx} refused, ${errors} failed.`,
    )
  return {
    figure: (good * 1000) / (finish.getTime() - start.getTime()),
    cpuMs: before === undefined || after === undefined ? undefined : (after - before) / good,
  }
}

/** The least CPU time: disturbances only add to a measurement. */
function leastCpu(loads: Load[]): number {
  return Math.min(...loads.map(({ cpuMs = Number.NaN }) => cpuMs))
}

function ratioOf(rounds: number[]): Ratio {
  return { median: median(rounds), least: Math.min(...rounds), greatest: Math.max(...rounds) }
}

/** NaN without values. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = low] =
    sorted.length % 2 ? [sorted[middle]] : [sorted[middle - 1], sorted[middle]]
  return (low + high) / 2
}
