import { MAX_BUNDLE_KIB } from './bundle.ts'
import type { Measured } from './load.ts'

const MAX_STARTUP_MS = 50

/** One row of the table. */
export interface Line extends Measured {
  title: string
  unit: 'requests/s' | 'deliveries/s' | 'ms'
  /** The costs in D1; undefined for inboxes. */
  trips?: number
  rows_read?: number
}

/** The least ratio to a bare handler, and to a bare object, which has no counts and no limits. */
export const TARGET = 0.85

/** The table of the hot paths. */
export function table(lines: Line[]): string {
  const rows = lines.map(({ title, unit, service, floor, byRate, byCpu, trips = '–', rows_read = '–' }) => [
    title,
    unit,
    service.toFixed(unit === 'ms' ? 2 : 0),
    floor.toFixed(unit === 'ms' ? 2 : 0),
    `${byRate.median.toFixed(2)} (${byRate.least.toFixed(2)}–${byRate.greatest.toFixed(2)})`,
    byCpu.toFixed(2),
    verdict(byRate.median, byCpu),
    String(trips),
    String(rows_read),
  ])
  const heads = ['path', 'unit', 'service', 'floor', 'ratio', 'of CPU', 'enough', 'D1 trips', 'rows read']
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const drawn = (cells: string[]) =>
    cells.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  return [drawn(heads), drawn(widths.map((width) => '─'.repeat(width))), ...rows.map(drawn)].join('\n')
}

/** Requires that both ratios agree, because on a busy machine each of them can be wrong. */
function verdict(byRate: number, byCpu: number): string {
  if (Number.isNaN(byCpu) || byRate >= TARGET === byCpu >= TARGET) return byRate >= TARGET ? 'yes' : 'NO'
  return 'unsure'
}

/** The size of the bundle and the CPU time of its start-up, in words. */
export function weight(gzippedKiB: number, startupMs: number): string {
  return `Bundle, gzipped: ${gzippedKiB.toFixed(0)} KiB (budget ${MAX_BUNDLE_KIB})
Start-up CPU on this machine, in Node: ${startupMs.toFixed(0)} ms (budget ${MAX_STARTUP_MS} on Cloudflare's)`
}

/** The explanation of the table. */
export function reading(rounds: number, seconds: number): string {
  return `Only the ratios mean anything: ${rounds} rounds of ${seconds} s a side, on whatever else this machine was doing.
  ratio   service to floor in requests a second, or floor to service in milliseconds: 1 is as fast as the floor, less is
          slower. The median of the rounds (and the least and greatest)
  of CPU  floor to service in CPU time a request, each in its least disturbed round, where it is known;
          where the two disagree about what is enough, the machine was too busy to tell: measure again
  enough  ${TARGET} of a bare handler, or of a bare object
The floor answers the same from a bare handler: same runtime, token, SQL and JSON (bench/floor.ts). That of the inbox
is a bare object, which stores one row and pushes it (bench/bare-inbox.ts).`
}
