/** The tables of `npm run capacity`, as Markdown. */
import type { Estimate } from './estimate.ts'
import { free, type Item, items, PLAN, priceOf, rates } from './prices.ts'
import type { Amounts, MonthOfSaves } from './saves.ts'

const PREFIXES = ['k', 'M', 'G', 'T']

/** A number with at most three digits and a prefix: 1.53 M. */
function short(value: number): string {
  let [rest, unit] = [value, -1]
  while (rest >= 999.5 && unit < PREFIXES.length - 1) [rest, unit] = [rest / 1_000, unit + 1]
  const digits = rest >= 99.5 || (unit < 0 && Number.isInteger(rest)) ? 0 : rest >= 9.95 ? 1 : 2
  return `${Number(rest.toFixed(digits))}${unit < 0 ? '' : ` ${PREFIXES[unit]}`}`
}

function gigabytes(value: number): string {
  return value >= 999.5
    ? `${Number((value / 1_000).toPrecision(3))} TB`
    : `${Number(value.toPrecision(3))} GB`
}

function dollars(value: number): string {
  return `$${value >= 99.5 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2)}`
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The table of needed resources: a row for each number of players. */
export function needs(estimates: Estimate[]): string {
  return table(
    [
      'players',
      'D1 data',
      'databases',
      'requests a second, average / peak',
      'a database at the peak, a second',
      'first limit met',
    ],
    estimates.map((one) => [
      short(one.players),
      gigabytes(one.data_gb),
      String(one.databases),
      `${short(one.average)} / ${short(one.peak)}`,
      `${short(one.trips)} trips, ${short(one.writes)} write batches`,
      one.first_limit,
    ]),
  )
}

/** The table of monthly costs: a column for each number of players, with amounts and prices. */
export function costs(estimates: Estimate[]): string {
  const totals = estimates.map(totalOf)
  return table(
    ['a month', ...estimates.map(({ players }) => `${short(players)} players`)],
    [
      ...items.map((item) => [
        item,
        ...estimates.map(
          ({ amounts }) => `${short(amounts[item])}: ${dollars(priceOf(item, amounts[item]))}`,
        ),
      ]),
      ['the plan', ...estimates.map(() => dollars(PLAN))],
      ['together', ...totals.map(dollars)],
      [
        'for 1,000 players',
        ...totals.map((total, i) => dollars((1_000 * total) / (estimates[i]?.players ?? 1))),
      ],
    ],
  )
}

function totalOf({ amounts }: Estimate): number {
  return items.reduce((total, item) => total + priceOf(item, amounts[item]), PLAN)
}

/**
 * The plan that each number of players needs, a line each, up to the first for which the free plan is too small. More players
 * exceed the same limits.
 */
export function plans(estimates: Estimate[]): string {
  const tooMany = estimates.findIndex((one) => exceeded(one).length > 0)
  const shown = tooMany === -1 ? estimates : estimates.slice(0, tooMany + 1)
  return shown.map((one) => `${one.players.toLocaleString('en-US')} players: ${plan(one)}`).join('\n')
}

function plan(estimate: Estimate): string {
  const beyond = exceeded(estimate)
  return beyond.length === 0
    ? 'The free plan is enough by these figures; a day that is busier than the average may meet its daily limits.'
    : `The paid plan is needed: the free one is too small for ${beyond.join(', ')}.`
}

/** The limits of the free plan that are exceeded. */
function exceeded({ amounts, data_gb }: Estimate): string[] {
  const beyond = Object.entries(free)
    .filter(([item, most]) => items.some((known) => known === item && amounts[known] / 30.4 > most))
    .map(([item]) => item)
  return data_gb > 0.5 ? [...beyond, 'D1: stored, GB'] : beyond
}

/** The price of a million units beyond the included amount. */
const million = (item: Item) => (1e6 / rates[item].unit) * rates[item].price

/** The billed item of each measured column. */
const billed: Record<string, Item> = {
  rows_read: 'D1: rows read',
  rows_written: 'D1: rows written',
  r2_class_a: 'R2: writes (class A)',
  r2_class_b: 'R2: reads (class B)',
  inbox_calls: 'Durable Objects: requests',
  inbox_rows_read: 'Durable Objects: rows read',
  inbox_rows_written: 'Durable Objects: rows written',
  saves_calls: 'Durable Objects: requests',
  saves_rows_read: 'Durable Objects: rows read',
  saves_rows_written: 'Durable Objects: rows written',
}

/** The tables of what each request reads, writes and costs, after a line with the base price of every request. */
export function each(requests: Record<string, Record<string, number>>, cpu_ms: number): string {
  const always =
    million('Workers: requests') + cpu_ms * million('Workers: CPU, ms') + million('Workers: log events')
  const costs = Object.entries(requests).map(([request, cost]) => {
    const of = (...columns: string[]) => columns.reduce((sum, column) => sum + (cost[column] ?? 0), 0)
    const price = Object.entries(billed).reduce((sum, [column, item]) => sum + of(column) * million(item), 0)
    return { request, of, price: dollars(price) }
  })
  const inDatabase = costs.filter(({ of }) => of('trips', 'r2_class_a', 'r2_class_b') > 0)
  const inObject = costs.filter(({ of }) => of('inbox_calls', 'saves_calls') > 0)
  return [
    `A million requests of any kind cost ${dollars(always)}: the request, ${cpu_ms} ms of CPU and a log event each. Their trips and rows in D1, and calls to R2:`,
    table(
      ['request', 'trips', 'rows read', 'rows written', 'class A, B', 'a million of them'],
      inDatabase.map(({ request, of, price }) => [
        request,
        ...['trips', 'rows_read', 'rows_written'].map((column) => String(of(column))),
        of('r2_class_a', 'r2_class_b') === 0 ? '' : `${of('r2_class_a')}, ${of('r2_class_b')}`,
        price,
      ]),
    ),
    'Rows of the object with an inbox or saves. A request of both tables has its whole price in each:',
    table(
      ['request', 'rows read', 'rows written', 'a million of them'],
      inObject.map(({ request, of, price }) => [
        request,
        String(of('inbox_rows_read', 'saves_rows_read')),
        String(of('inbox_rows_written', 'saves_rows_written')),
        price,
      ]),
    ),
  ].join('\n\n')
}

/**
 * The table of a month of saves in both ways, with the prices beyond what the plan includes. `saves`: how many there are. An
 * item that neither way takes is left out.
 */
export function savesTable({ before, after, saves }: MonthOfSaves): string {
  const ways = [before, after]
  const price = (way: Amounts, named: Item[]) =>
    named.reduce((sum, item) => sum + (way[item] * million(item)) / 1e6, 0)
  const cell = (way: Amounts, item: Item) => `${short(way[item])}: ${dollars(price(way, [item]))}`
  const requested = items.filter((item) => !item.includes('stored'))
  return table(
    ['a month', 'an upload: three requests', 'a save: one request'],
    [
      ...items
        .filter((item) => ways.some((way) => way[item] > 0))
        .map((item) => [item, ...ways.map((way) => cell(way, item))]),
      ['together', ...ways.map((way) => dollars(price(way, items)))],
      [
        'a million saves, without what is stored',
        ...ways.map((way) => dollars((price(way, requested) / saves) * 1e6)),
      ],
    ],
  )
}

/** The table of indexes: the table where the name doesn't begin with it, the purpose, and which steps write a row. */
export function indexes(
  costs: Record<string, { table: string; rows_written: Record<string, number> }>,
  purposes: Record<string, string>,
): string {
  return table(
    ['index', 'for', 'a row is written by'],
    Object.entries(costs).map(([name, { table: of, rows_written }]) => [
      name.startsWith(`${of}_`) ? `\`${name}\`` : `\`${name}\` of ${of}`,
      purposes[name] ?? '?',
      Object.entries(rows_written)
        .map(([step, rows]) => (rows === 1 ? step : `${step}: ${rows}`))
        .join('; '),
    ]),
  )
}
