type Members = Readonly<Record<string, unknown>>

/*
 * A line of the log is one JSON object whose first member is `message`: docs/observing.md names the other members. The
 * level is that of the function.
 */

/** Writes an ordinary line. */
export function logInfo(message: string, members?: Members): void {
  console.log(lineOf(message, members))
}

/** Writes a line about something that goes on, but not as it should. */
export function logWarning(message: string, members?: Members): void {
  console.warn(lineOf(message, members))
}

/** Writes a line about something that has failed. */
export function logError(message: string, members?: Members): void {
  console.error(lineOf(message, members))
}

function lineOf(message: string, members?: Members): string {
  return JSON.stringify({ message, ...members })
}
