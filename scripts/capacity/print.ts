/** The tables of `npm run capacity`, as Markdown. */
import type { Estimate } from './estimate.ts'
import { free, type Item, PLAN, priceOf, rates } from './prices.ts'

const KNOWN = ['k', 'M', 'G', 'T']

/** A number in three digits at most: 1.53 M. */
function short(value: number): string {
  let [rest, unit] = [value, -1]
  while (rest >= 999.5 && unit < KNOWN.length - 1) [rest, unit] = [rest / 1_000, unit + 1]
  const digits = rest >= 99.5 || (unit < 0 && Number.isInteger(rest)) ? 0 : rest >= 9.95 ? 1 : 2
  return `${Number(rest.toFixed(digits))}${unit < 0 ? '' : ` ${KNOWN[unit]}`}`
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

/** What is needed, a row for each number of players. */
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

const items = Object.keys(rates).filter((name): name is Item => name in rates)

/** What it costs a month, a column for each number of players: the amount and its price. */
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

/** Which plan is needed, and for what the free one is too small. */
export function plan({ amounts, data_gb }: Estimate): string {
  const beyond = Object.entries(free)
    .filter(([item, most]) => items.some((known) => known === item && amounts[known] / 30.4 > most))
    .map(([item]) => item)
  if (data_gb > 0.5) beyond.push('D1: stored, GB')
  return beyond.length === 0
    ? 'The free plan is enough by these figures; a day that is busier than the average may meet its daily limits.'
    : `The paid plan is needed: the free one is too small for ${beyond.join(', ')}.`
}
