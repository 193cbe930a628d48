import { escaped } from '../scripts/pages/escaped.ts'
import type { Measurement } from './growth-operation.ts'
import { picture } from './picture.ts'

const WIDTH = 860
const TOP = 84
const ROW = 70
/** The height of a panel within its row, and the width of each. */
const [HIGH, WIDE] = [36, 220]
const panels = [
  { left: 270, head: 'rows read', of: (one: Measurement) => one.rows_read },
  { left: 580, head: 'ms, median', of: (one: Measurement) => one.median_ms },
] as const

/** The colours of the lines, one for each number of databases. */
const colours = ['green', 'blue, dashed', 'purple, dotted']

/**
 * Draws a group as an SVG: for each operation, the rows read and the time by the number of existing rows. Both axes are
 * logarithmic, and all panels of a column share them.
 */
export function growthChart(title: string, found: Measurement[]): string {
  const titles = [...new Set(found.map((one) => one.title))]
  const sizes = [...new Set(found.map(({ size }) => size))].sort((one, other) => one - other)
  const counts = [...new Set(found.map(({ databases }) => databases))]
  const height = TOP + titles.length * ROW + 8
  const x = (left: number, size: number) =>
    left + (sizes.length > 1 ? (sizes.indexOf(size) / (sizes.length - 1)) * WIDE : WIDE / 2)

  const heads = panels.map(
    ({ left, head }) =>
      `<text class="tick" x="${left + WIDE / 2}" y="66">${head}</text>` +
      sizes
        .map(
          (size) =>
            `<text class="tick small" x="${x(left, size)}" y="80">${power(size)}</text>` +
            `<line class="grid" x1="${x(left, size)}" x2="${x(left, size)}" y1="${TOP + 4}" y2="${height - 8}"/>`,
        )
        .join(''),
  )
  const lines = titles.flatMap((operation, row) => {
    const middle = TOP + row * ROW + ROW / 2
    const of = found.filter((one) => one.title === operation)
    return [
      `<text x="16" y="${middle - 4}">${escaped(operation)}</text>`,
      `<text class="note small" x="16" y="${middle + 13}">${escaped(written(of))}</text>`,
      ...panels.flatMap((panel) => {
        const [low, high] = rangeOf(found.map(panel.of))
        const y = (value: number) => middle + HIGH / 2 - ((logOf(value) - low) / (high - low)) * HIGH
        const drawn = counts.map((databases) =>
          of
            .filter((one) => one.databases === databases)
            .sort((one, other) => one.size - other.size)
            .map((one) => ({ x: x(panel.left, one.size), y: y(panel.of(one)), value: panel.of(one) })),
        )
        return [
          ...drawn.map(line),
          ...sizes.map((_, at) => values(drawn.flatMap((points) => points[at] ?? []))),
        ]
      }),
    ]
  })
  const several = counts.map((count, i) => `${colours[i] ?? 'other'}: ${count}`).join('; ')
  return picture({
    width: WIDTH,
    height,
    label: title,
    head: title,
    note: `Both axes are logarithmic: a flat line does not grow.${counts.length > 1 ? ` Databases: ${several}.` : ''}`,
    light: `.tick { text-anchor: middle } .small, .value { font-size: 11px } .value { text-anchor: middle; paint-order: stroke; stroke: #fff; stroke-width: 3px }
polyline { fill: none; stroke-width: 2 } .line0 { stroke: #2f6f4f } .line1 { stroke: #0969da; stroke-dasharray: 5 3 }
.line2 { stroke: #8250df; stroke-dasharray: 2 3 } .dot0 { fill: #2f6f4f } .dot1 { fill: #0969da } .dot2 { fill: #8250df }`,
    dark: '.value { stroke: #0d1117 } .line0 { stroke: #3fb950 } .line1 { stroke: #4493f8 } .line2, .dot2 { stroke: #ab7df8 } .dot0 { fill: #3fb950 } .dot1 { fill: #4493f8 }',
    body: [...heads, ...lines].join('\n'),
  })
}

interface Point {
  x: number
  y: number
  value: number
}

function line(points: Point[], index: number): string {
  if (points.length === 0) return ''
  const way = points.map(({ x, y }) => `${x.toFixed(0)},${y.toFixed(1)}`).join(' ')
  const dots = points.map(
    ({ x, y }) => `<circle class="dot${index}" cx="${x.toFixed(0)}" cy="${y.toFixed(1)}" r="2.5"/>`,
  )
  return `<polyline class="line${index}" points="${way}"/>${dots.join('')}`
}

/** The labels of the lines at one size: only the greatest value, above its point, and the least, below. */
function values(points: Point[]): string {
  const [upper, ...others] = points.toSorted((one, other) => one.y - other.y)
  const text = ({ x, y, value }: Point, by: number) =>
    `<text class="value" x="${x.toFixed(0)}" y="${(y + by).toFixed(1)}">${short(value)}</text>`
  const lower = others.at(-1)
  return (upper ? text(upper, -6) : '') + (lower ? text(lower, 15) : '')
}

const logOf = (value: number) => Math.log10(Math.max(value, 1))

/** The powers of ten around values, at least three apart, so that small differences look small. */
function rangeOf(values: number[]): [low: number, high: number] {
  const low = Math.floor(Math.min(...values.map(logOf)))
  return [low, Math.max(Math.ceil(Math.max(...values.map(logOf))), low + 3)]
}

/** The trips and the written rows of an operation, in words. */
function written(of: Measurement[]): string {
  const figures = (values: number[]) => {
    const ends = new Set([Math.min(...values), Math.max(...values)])
    return [...ends].map(short).join(' to ')
  }
  const trips = figures(of.map(({ trips }) => trips))
  const rows = figures(of.map(({ rows_written }) => rows_written))
  const parts = [
    ...(trips === '0' ? [] : [`${trips} ${trips === '1' ? 'trip' : 'trips'}`]),
    ...(rows === '0' ? [] : [`writes ${rows} rows`]),
  ]
  return parts.join('; ')
}

const DIGITS = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']

/** 10³ for 1,000, and 20 k for 20,000. */
function power(size: number): string {
  const exponent = Math.log10(size)
  return Number.isInteger(exponent) ? `10${DIGITS[exponent]}` : short(size)
}

function short(value: number): string {
  if (value >= 999_500) return `${Number((value / 1e6).toPrecision(3))} M`
  if (value >= 9_995) return `${Number((value / 1e3).toPrecision(3))} k`
  return value >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en-US')
    : value.toPrecision(2)
}
