import { z } from '@hono/zod-openapi'
import type { Env } from '../../../src/platform/config/env.ts'
import { databaseNames } from '../databases.ts'
import { emptyOutboxes } from '../delivery.ts'
import { servedRoutes } from '../routes.ts'
import type { Fetch } from '../service.ts'
import type { User } from '../user.ts'
import { columns, type Price, priced } from './priced.ts'

/** What a request may cost at most, whatever the table says. A column that is left out has no bound of its own. */
export type Budget = Partial<Price> & {
  /** Calls to R2 of any kind. */
  r2_calls?: number
  /** It costs another time another price, always or where there is much: the table has the budget in its place. */
  varies?: 'always' | 'many'
  /** It reads and writes more where there is more. Every other request costs the same few rows. */
  grows?: true
}

/** The budget of an act under a scope: its entry in the audit is one trip before it and one after it. */
export function audited({ trips = 0, rows_written = 0, ...budget }: Budget): Budget {
  return { ...budget, trips: trips + 2, rows_written: rows_written + 6 }
}

/** A measured request. */
export interface Measured {
  /** The route of the request, or of the first of several. */
  route: string
  price: Price
  budget: Budget
  /** How it exceeds its budget. */
  over: string[]
}

interface Answered {
  status: number
  /** Its text, of an answer that was read. */
  text?: unknown
}

/** The routes, without what each request passes and the console's files, which are assets; the least general ones come first. */
const routes = servedRoutes
  .filter((route) => !route.startsWith('ALL ') && route !== 'GET /console/*')
  .map((route) => ({ route, pattern: new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  .sort((one, other) => one.route.split('{').length - other.route.split('{').length)

/** The routes of which the table has a request each. */
export const measuredRoutes = new Set(routes.map(({ route }) => route))

const routeOf = ({ method, url }: Request): string | undefined =>
  routes.find(({ pattern }) => pattern.test(`${method} ${new URL(url).pathname}`))?.route

const isOne = databaseNames.length === 1
/** The rows that a trip also reads over several databases: where partitions are. */
const PLACES = 5
/** The rows that a write also writes where the catalogue has a database of its own: the mark of the asset, and its removal. */
const MARKED = 2

/** Measures requests, by name. */
export async function measuring(
  variables: Record<string, string> = {},
  bindings: Partial<Pick<Env, 'EVENTS'>> = {},
) {
  const { service, differently, of } = await priced(variables, bindings)
  const measured = new Map<string, Measured>()
  let route: string | undefined
  const noting =
    (to: Fetch): Fetch =>
    (request) => {
      route ??= routeOf(request)
      return to(request)
    }
  /** Measures `work`, which may make several requests: the cost of all. */
  const sum = async (request: string, work: () => Promise<unknown>, budget: Budget = {}): Promise<void> => {
    await emptyOutboxes() // as when earlier events have been delivered
    route = undefined
    const price = await of(work)
    const before = measured.get(request)?.price ?? price
    const most = { ...price }
    for (const column of columns) most[column] = Math.max(price[column], before[column])
    const known = measured.get(request)?.over ?? []
    const over = known.length > 0 ? known : exceeded(price, budget)
    measured.set(request, { route: route ?? '', price: most, budget, over })
  }
  /** Measures a request, which has to answer with `status`. A name that was measured before has the larger figures. */
  const measure = async <Result extends Answered>(
    request: string,
    send: () => Promise<Result>,
    status = 200,
    budget: Budget = {},
  ): Promise<Result> => {
    const answers: Result[] = []
    await sum(request, () => send().then((answer) => answers.push(answer)), budget)
    const [answer] = answers
    if (answer?.status !== status) throw new Error(`"${request}": ${answer?.status} ${answer?.text}`)
    return answer
  }
  return {
    service: noting(service),
    differently: (...different: Parameters<typeof differently>) => noting(differently(...different)),
    measure,
    sum,
    /** What was measured since the last call, by name. */
    take(): Map<string, Measured> {
      const taken = new Map(measured)
      measured.clear()
      return taken
    },
  }
}

/** What the answer of a list says about its next page. */
const Paged = z.object({ next_cursor: z.string().nullable() })

/** Measures the first two pages of a list: `path` is of the first page, and has a query. */
export async function measurePages(
  { measure }: Pick<Measuring, 'measure'>,
  request: string,
  user: User,
  path: string,
  budget: Budget,
): Promise<void> {
  const first = await measure(request, () => user.get(path), 200, budget)
  const { next_cursor } = Paged.parse(first.body)
  if (next_cursor === null) return
  await measure(request, () => user.get(`${path}&cursor=${next_cursor}`), 200, budget)
}

export type Measuring = Awaited<ReturnType<typeof measuring>>
export type Measure = Measuring['measure']

/** How a price exceeds a budget. Over several databases, the table alone holds the trips, and a budget is for each of them. */
function exceeded(price: Price, { r2_calls, ...most }: Budget): string[] {
  const { trips } = price
  const allowed: Budget = isOne
    ? most
    : {
        ...most,
        trips: undefined,
        rows_read: most.rows_read && trips * (most.rows_read + PLACES),
        rows_written: most.rows_written && most.rows_written + MARKED,
      }
  const over = columns.filter((column) => price[column] > (allowed[column] ?? Number.POSITIVE_INFINITY))
  const calls = price.r2_class_a + price.r2_class_b + price.r2_free
  return [
    ...over.map((column) => `${price[column]} ${column}, at most ${allowed[column]}`),
    ...(r2_calls !== undefined && calls > r2_calls ? [`${calls} calls to R2, at most ${r2_calls}`] : []),
  ]
}
