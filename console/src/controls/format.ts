const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Formats a size: '1.5 KiB' for 1,536 bytes. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  const digits = power > 0 && amount < 10 ? 1 : 0
  return `${amount.toLocaleString('en', { maximumFractionDigits: digits })} ${power === 0 && bytes === 1 ? 'byte' : units[power]}`
}

/** A text that begins like a sentence. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Formats Unix seconds, in the reader's time zone. */
export function formatTime(seconds: number): string {
  return time.format(seconds * 1000)
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** Formats the day of Unix seconds, in the reader's time zone. */
export function formatDay(seconds: number): string {
  return day.format(seconds * 1000)
}

/** Formats a count with its noun. */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}

/** Formats a duration: '2 h 5 min' for 7,500 seconds. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 && `${hours.toLocaleString('en')} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ')
}
