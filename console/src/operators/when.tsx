import { formatTime } from '../controls/format.ts'

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats Unix seconds as seen from now: '3 minutes ago', 'in 2 hours'. */
export function formatFromNow(seconds: number): string {
  const distance = seconds - Date.now() / 1_000
  const [unit, length] = units.find(([, length]) => Math.abs(distance) >= length) ?? []
  if (unit === undefined) return distance > 0 ? 'in a moment' : 'just now'
  return relative.format(Math.round(distance / length), unit)
}

/** A time as seen from now, with the exact one for those who point at it. */
export function When({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={formatTime(at)}>
      {formatFromNow(at)}
    </time>
  )
}
