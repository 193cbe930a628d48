/** A time in milliseconds as the value of a field of the type datetime-local, in the reader's time zone. */
export function localTime(time_ms: number): string {
  const offset_ms = new Date(time_ms).getTimezoneOffset() * 60_000
  return new Date(time_ms - offset_ms).toISOString().slice(0, 16)
}

/** The value of a field of the type datetime-local in Unix seconds. */
export function secondsOf(value: string): number {
  return Math.floor(new Date(value).getTime() / 1_000)
}
