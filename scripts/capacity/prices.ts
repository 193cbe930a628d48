/** The platform's prices and limits on the paid plan. docs/costs.md names the sources and their date. */

/** A billed item: the monthly amount that the plan includes, and the price in US dollars of each further `unit`. */
interface Rate {
  included: number
  price: number
  unit: number
}

const MILLION = 1e6

/** The monthly price of the plan itself, in US dollars. */
export const PLAN = 5

export const rates = {
  'Workers: requests': { included: 10 * MILLION, price: 0.3, unit: MILLION },
  'Workers: CPU, ms': { included: 30 * MILLION, price: 0.02, unit: MILLION },
  'Workers: log events': { included: 20 * MILLION, price: 0.6, unit: MILLION },
  'Analytics Engine: data points': { included: 10 * MILLION, price: 0.25, unit: MILLION },
  'D1: rows read': { included: 25_000 * MILLION, price: 0.001, unit: MILLION },
  'D1: rows written': { included: 50 * MILLION, price: 1, unit: MILLION },
  'D1: stored, GB': { included: 5, price: 0.75, unit: 1 },
  'R2: stored, GB': { included: 10, price: 0.015, unit: 1 },
  'R2: writes (class A)': { included: MILLION, price: 4.5, unit: MILLION },
  'R2: reads (class B)': { included: 10 * MILLION, price: 0.36, unit: MILLION },
  'Queues: operations': { included: MILLION, price: 0.4, unit: MILLION },
  'Durable Objects: requests': { included: MILLION, price: 0.15, unit: MILLION },
  'Durable Objects: GB-s': { included: 400_000, price: 12.5, unit: MILLION },
  'Durable Objects: rows read': { included: 25_000 * MILLION, price: 0.001, unit: MILLION },
  'Durable Objects: rows written': { included: 50 * MILLION, price: 1, unit: MILLION },
  'Durable Objects: stored, GB': { included: 5, price: 0.2, unit: 1 },
} satisfies Record<string, Rate>

export type Item = keyof typeof rates

export const items = Object.keys(rates).filter((name): name is Item => name in rates)

/** The monthly price of an amount, in US dollars. */
export function priceOf(item: Item, amount: number): number {
  const { included, price, unit } = rates[item]
  return (Math.max(0, amount - included) / unit) * price
}

/** The daily limits of the free plan. */
export const free = {
  'Workers: requests': 100_000,
  'D1: rows read': 5 * MILLION,
  'D1: rows written': 100_000,
  'Queues: operations': 10_000,
  'Durable Objects: requests': 100_000,
  'Durable Objects: rows written': 100_000,
} satisfies Partial<Record<Item, number>>

export const limits = {
  /** Of one database, and of all databases of an account. */
  databaseGB: 10,
  accountGB: 1_000,
  /** Trips a second that a database can answer when each takes a millisecond. */
  tripsPerSecond: 1_000,
}
