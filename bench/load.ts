import autocannon from 'autocannon'
import { bodyOf, type HotPath } from './paths.ts'
import { runtimeCpuMs } from './processor.ts'

const CONNECTIONS = 10
/** In between, autocannon looks whether it is time to stop. */
const SAMPLE_MS = 20

/** How one side did for a while. */
export interface Load {
  /** Requests a second, or another figure of the path. */
  figure: number
  /** Of the runtime, for each request; undefined where it can't be told. */
  cpuMs: number | undefined
}

/** A ratio of service to floor, as the median of the rounds, and its least and greatest value. */
export interface Ratio {
  median: number
  least: number
  greatest: number
}

/** What the rounds of one path came to. */
export interface Measured {
  /** The medians of the figure: requests a second, or what the path is measured in. */
  service: number
  floor: number
  byRate: Ratio
  /**
   * By the CPU time that a request takes of the runtime, which its rate comes down to on an idle machine, in the
   * round that was disturbed least. NaN where CPU time can't be told.
   */
  byCpu: number
}

/** Where the two sides listen, and the headers that requests carry. */
export interface Target {
  service: string
  floor: string
  headers: Record<string, string>
}

/**
 * Loads both sides in turn for some rounds, each for `seconds`. Which side begins changes from round to round,
 * so that neither is the one that finds the larger tables.
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

/** What is measured of a path: how it is asked for. */
type Request = Pick<HotPath, 'method' | 'path' | 'bodies' | 'isNamedAnew'>

/** Measures both sides in turn for some rounds. */
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
  const { method, path, bodies, isNamedAnew } = hotPath
  const request = { method, path, headers }
  const bodyAt = (variant: number) => JSON.stringify(bodyOf(hotPath, variant))
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
  // A machine that is very busy may not answer within a short round.
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

/** What disturbs a measurement only ever adds to it, so the least is the nearest to the truth. */
function leastCpu(loads: Load[]): number {
  return Math.min(...loads.map(({ cpuMs = Number.NaN }) => cpuMs))
}

function ratioOf(rounds: number[]): Ratio {
  return { median: median(rounds), least: Math.min(...rounds), greatest: Math.max(...rounds) }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = low] =
    sorted.length % 2 ? [sorted[middle]] : [sorted[middle - 1], sorted[middle]]
  return (low + high) / 2
}
