import { escaped } from '../scripts/pages/escaped.ts'
import { picture } from './picture.ts'
import { type Line, TARGET } from './report.ts'

const WIDTH = 860
const LEFT = 330
const RIGHT = 70
const ROW = 24
const TOP = 64
/** The ratio at the right edge. Greater ones are cut off. */
const MOST = 1.2

/** Draws the ratios as an SVG: a bar for each path, with a line from the least to the greatest of the rounds. */
export function chart(lines: Pick<Line, 'title' | 'byRate'>[]): string {
  const height = TOP + lines.length * ROW + 28
  const x = (ratio: number) => LEFT + (Math.min(ratio, MOST) / MOST) * (WIDTH - LEFT - RIGHT)
  const bottom = height - 24
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (ratio) =>
      `<line class="${ratio === 1 ? 'floor' : 'grid'}" x1="${x(ratio)}" x2="${x(ratio)}" y1="${TOP - 8}" y2="${bottom}"/>` +
      `<text class="tick" x="${x(ratio)}" y="${bottom + 16}">${ratio}</text>`,
  )
  const bars = lines.map(({ title, byRate: { median, least, greatest } }, i) => {
    const y = TOP + i * ROW
    const middle = y + ROW / 2 - 3
    return (
      `<text class="title" x="${LEFT - 10}" y="${middle + 4}">${escaped(title)}</text>` +
      `<rect class="${median >= TARGET ? 'bar' : 'low'}" x="${LEFT}" y="${y}" width="${x(median) - LEFT}" height="${ROW - 6}" rx="2"/>` +
      `<line class="range" x1="${x(least)}" x2="${x(greatest)}" y1="${middle}" y2="${middle}"/>` +
      `<text class="value" x="${WIDTH - RIGHT + 12}" y="${middle + 4}">${median.toFixed(2)}</text>`
    )
  })
  return picture({
    width: WIDTH,
    height,
    label: 'The speed of each path beside a bare handler',
    head: 'The service beside a bare handler',
    note: `1 is as fast as the bare handler; longer is better. Orange: below ${TARGET}. The thin line spans the rounds.`,
    light: `.title { text-anchor: end } .tick { text-anchor: middle } .bar { fill: #2f6f4f } .low { fill: #b35900 }
.floor { stroke: #1f2328; stroke-dasharray: 4 3 } .range { stroke: #8b949e; stroke-width: 2 }`,
    dark: '.floor { stroke: #f0f6fc } .bar { fill: #3fb950 } .low { fill: #db8b35 } .range { stroke: #c9d1d9 }',
    body: [...ticks, ...bars].join('\n'),
  })
}
